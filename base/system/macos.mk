# macos.mk: build/macos/arm64/train and so on, made on Linux by zig, which has the headers of macOS:
# the programs, LLVM's OpenMP and libpulga.so beside them. The libraries are the lab's. Run by nobody
# yet.

MACOS = $(BUILD)/macos
MACOS_KINDS = arm64 x86_64
MACOS_ZIG = ZIG_GLOBAL_CACHE_DIR=$(MACOS)/cache $(WHEEL_VENV)/python -m ziglang
MACOS_CC = $(MACOS_ZIG) cc -target $(patsubst arm64,aarch64,$(1))-macos.11.0
MACOS_FLAGS = -std=gnu11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd \
	-include base/system/macos.h -DUTF8PROC_STATIC -Wall -Wextra -Werror \
	-Wno-unknown-warning-option -Wno-unterminated-string-initialization \
	-I. -I$(BUILD) -isystem $(LAB)/include -isystem base/system
MACOS_SOURCES = $(PORTABLE) base/system/macos.c base/system/unix.c $(PROMPT)
MACOS_LIBRARIES = $(patsubst %.c,library/%.o,$(notdir $(LAB_LIBRARIES)))
MACOS_OBJECTS = $(MACOS_SOURCES:%.c=%.o) $(MACOS_LIBRARIES)
# Those of libpulga.so, without OpenMP.
MACOS_SHARED = $(patsubst %.c,shared/%.o,programs/library.c $(filter base/% model/% text/% formats/%,$(MACOS_SOURCES))) $(MACOS_LIBRARIES)
MACOS_FILES = $(NAMES) libpulga.so libomp.dylib
MACOS_PROGRAMS = $(foreach kind,$(MACOS_KINDS),$(MACOS_FILES:%=$(MACOS)/$(kind)/%))

macos: wheel-venv
	@$(SETUP) macos
	@$(WHEEL_VENV)/pip install --quiet ziglang==0.17.1
	@scripts/lab_sources.sh $(LAB)/sources
	@$(MAKE) --no-print-directory $(JOBS) $(MACOS_PROGRAMS)
	@echo '  ready: $(MACOS_PROGRAMS)'

# Whether the wheels are what pip and macOS expect. Nothing here can run them.
macos-test: wheel-macos
	@$(SETUP) macos-test
	@BUILD='$(abspath $(BUILD))' bats --timing tests/macos

define MACOS_KIND
$(MACOS)/$(1)/libomp.dylib:
	@$$(WHEEL_VENV)/pip install --quiet --no-deps --only-binary :all: --platform macosx_11_0_$(1) \
		--upgrade --target $(MACOS)/$(1)/wheel cmeel-libomp==21.1.8
	@cp $(MACOS)/$(1)/wheel/cmeel.prefix/lib/libomp.dylib $$@
$(MACOS)/$(1)/%.o: %.c $(MACOS)/$(1)/libomp.dylib $(LAB)/include/ready $(BUILD)/page.inc $(BUILD)/es.inc
	$$(COUNT) $$(call MACOS_CC,$(1)) $$(MACOS_FLAGS) -fopenmp -isystem $(MACOS)/$(1)/wheel/cmeel.prefix/include -MMD -MP -c -o $$@ $$<
$(MACOS)/$(1)/shared/%.o: %.c $(LAB)/include/ready $(BUILD)/es.inc
	$$(COUNT) $$(call MACOS_CC,$(1)) $$(MACOS_FLAGS) -fvisibility=hidden -MMD -MP -c -o $$@ $$<
$(MACOS)/$(1)/library/%.o: %.c $(LAB)/include/ready
	$$(COUNT) $$(call MACOS_CC,$(1)) $$(MACOS_FLAGS) -w -fvisibility=hidden -c -o $$@ $$<
$(MACOS)/$(1)/rooms.a: $(MACOS_OBJECTS:%=$(MACOS)/$(1)/%)
	@rm -f $$@ && $$(MACOS_ZIG) ar rcs $$@ $$^
$(NAMES:%=$(MACOS)/$(1)/%): $(MACOS)/$(1)/%: $(MACOS)/$(1)/programs/%.o $(MACOS)/$(1)/rooms.a $(MACOS)/$(1)/libomp.dylib
	$$(COUNT) $$(call MACOS_CC,$(1)) -s -Wl,-rpath,@loader_path -o $$@ $$^
$(MACOS)/$(1)/libpulga.so: $(MACOS_SHARED:%=$(MACOS)/$(1)/%)
	$$(COUNT) $$(call MACOS_CC,$(1)) -shared -s -o $$@ $$^
endef
$(foreach kind,$(MACOS_KINDS),$(eval $(call MACOS_KIND,$(kind))))
# zig leaves a program that it could not link.
.DELETE_ON_ERROR:
.PHONY: macos macos-test
