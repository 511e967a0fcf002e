# windows.mk: build/windows/train.exe and so on, made by Debian's mingw: each is one file that needs
# only what Windows has. Tested in wine.

WINDOWS = $(BUILD)/windows
WINDOWS_CC = x86_64-w64-mingw32-gcc-posix
# posix.h makes mingw's names those of the other systems. Each thread needs some MB of stack.
WINDOWS_FLAGS = -std=gnu11 -O3 -march=x86-64 -ffp-contract=off -fno-math-errno -fno-trapping-math \
	-fopenmp -fopenmp-simd -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D__USE_MINGW_ANSI_STDIO=1 \
	-D_WIN32_WINNT=0x0A00 -DUTF8PROC_STATIC -Wall -Wextra -Wno-format -Werror=implicit-function-declaration \
	-I. -Ibase/system/windows -I$(BUILD) -isystem $(WINDOWS)/include -isystem $(LAB)/include -isystem base/system
WINDOWS_LINK = -Wl,--wrap=GOMP_parallel -static -municode -Wl,--stack,8388608
WINDOWS_SOURCES = $(PORTABLE) $(GNU) $(wildcard base/system/windows/*.c)
WINDOWS_OBJECTS = $(WINDOWS_SOURCES:%.c=$(WINDOWS)/%.o) \
	$(patsubst %.c,$(WINDOWS)/library/%.o,$(notdir $(LAB_LIBRARIES)))
WINDOWS_PROGRAMS = $(NAMES:%=$(WINDOWS)/%.exe)

# What Debian calls the packages whose code is in the programs.
WINDOWS_CODE = libutf8proc-dev libcjson-dev libxxhash-dev libstb-dev mingw-w64-x86-64-dev \
	gcc-mingw-w64-x86-64-posix-runtime
WINDOWS_ZIP = $(WINDOWS)/pulga-$(shell sed -n 's/.*PULGA_VERSION "\(.*\)"/\1/p' base/base.h)-windows

windows:
	@$(SETUP) windows
	@scripts/lab_sources.sh $(LAB)/sources
	@$(MAKE) --no-print-directory $(JOBS) $(WINDOWS_ZIP).zip
	@echo '  ready: $(WINDOWS_PROGRAMS) $(WINDOWS_ZIP).zip'

# In wine.
windows-test: windows
	@$(SETUP) windows-test
	@BIN='$(abspath $(WINDOWS))' bats --timing tests/windows

# The programs, texts, the licences of all code, and the page of the lab if it is built.
$(WINDOWS_ZIP).zip: $(WINDOWS_PROGRAMS) LICENSE $(wildcard data/* $(LAB)/pulga.html)
	@rm -rf $@ $(WINDOWS_ZIP) && mkdir -p $(WINDOWS_ZIP)/licenses
	@cp -r LICENSE data $(WINDOWS_PROGRAMS) $(wildcard $(LAB)/pulga.html) $(WINDOWS_ZIP)/
	@$(call copy_licenses,$(WINDOWS_CODE),$(WINDOWS_ZIP)/licenses)
	@cd $(WINDOWS) && zip -qr $(@F) $(notdir $(WINDOWS_ZIP))

# What posix.h has instead of these headers. The libraries and their headers are the lab's.
WINDOWS_EMPTY = langinfo.h poll.h sysexits.h dirent.h sys/mman.h sys/resource.h
$(WINDOWS)/include/ready: $(LAB)/include/ready
	@mkdir -p $(@D)/sys
	@touch $(WINDOWS_EMPTY:%=$(@D)/%) $@

vpath %.c $(sort $(dir $(LAB_LIBRARIES)))
$(WINDOWS)/%.o: %.c $(WINDOWS)/include/ready $(BUILD)/page.inc $(BUILD)/es.inc
	$(COUNT) $(WINDOWS_CC) $(WINDOWS_FLAGS) -include base/system/windows/posix.h -MMD -MP -c -o $@ $<
$(WINDOWS)/library/%.o: %.c $(WINDOWS)/include/ready
	$(COUNT) $(WINDOWS_CC) $(WINDOWS_FLAGS) -w -c -o $@ $<
$(WINDOWS)/rooms.a: $(WINDOWS_OBJECTS)
	$(PACK)
$(WINDOWS_PROGRAMS): $(WINDOWS)/%.exe: $(WINDOWS)/programs/%.o $(WINDOWS)/rooms.a
	$(COUNT) $(WINDOWS_CC) $(WINDOWS_FLAGS) $(WINDOWS_LINK) -s -o $@ $^
.PHONY: windows windows-test
