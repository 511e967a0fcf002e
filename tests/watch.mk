# watch.mk: what finds faults that tests do not. Part of the Makefile, which names each of these.

FUZZ_SECONDS ?= 60

sanitize:
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(MAKE) --no-print-directory test BUILD=build/sanitize BIN=build/sanitize/bin \
		CFLAGS='-O1 -g -march=$(ARCH)' SANITIZE='-fsanitize=address,undefined -fno-omit-frame-pointer'

fuzz: packages
	@$(MAKE) --no-print-directory -j$$(nproc) fuzzers BUILD=build/fuzz CC=clang OPENMP=0 \
		CFLAGS='-O1 -g -march=$(ARCH) -Wno-pass-failed' SANITIZE='-fsanitize=address,undefined \
		-fsanitize=float-cast-overflow,fuzzer-no-link -fno-sanitize-recover=undefined'
	@tests/fuzz/run.sh $(FUZZ_SECONDS)
fuzzers: $(FUZZERS)

torture: all $(BUILD)/tests/faults $(BUILD)/tests/training/damage
	@BUILD=$(abspath $(BUILD)) tests/torture/damage.sh
	@BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) \
		tests/torture/torture.bash points faults disks flips kills

# GNU's OpenMP shares data in ways that the thread sanitizer takes for races; clang's tells it, by
# way of archer, when threads meet.
tsan:
	@scripts/setup.sh tsan
	@OMP_TOOL_LIBRARIES=$$(clang -print-resource-dir)/../../libarcher.so \
	TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	$(MAKE) --no-print-directory test CC=clang BUILD=build/tsan BIN=build/tsan/bin \
		CFLAGS='-O1 -g -march=$(ARCH) -Wno-pass-failed' \
		SANITIZE='-fsanitize=thread -fno-omit-frame-pointer' \
		BATS="-f 'number of threads|stops cleanly|stops at once' tests/programs"

# Debian's valgrind knows no AVX-512, and takes a second for a step of the usual model. Threads wait
# politely, so that train need not begin itself again. A test that dies leaves things unfreed.
WATCH = OMP_WAIT_POLICY=passive $(MAKE) --no-print-directory ARCH=x86-64-v3 BUILD=build/valgrind \
	BIN=build/valgrind/bin SANITIZE=-DLARGE_BLOCK=SIZE_MAX
valgrind:
	@scripts/setup.sh valgrind
	@$(WATCH) units EXACT= EXACT_TOOLS= RUN='valgrind -q --error-exitcode=9' \
		TESTS='$(addprefix build/valgrind/,$(basename $(filter-out \
		%/precision.c %/published_tables.c %/elementary.c,$(wildcard $(foreach room,\
		base model data formats training pictures program,tests/$(room)/*.c)))))'
	@$(WATCH) demo DEMO='--steps 20 --layers 2 --width 16 --dropout 0.1 --checkpoint-every 4' \
		RUN='valgrind -q --error-exitcode=9 --leak-check=full \
		--show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect'

# -O0: an optimizer's own variables would be taken for the program's.
EACH = @printf '%s\n' $(ROOMS) train.c sample.c attend.c | xargs -P $$(nproc) -n
ANALYZED = $(CPPFLAGS) -I$(BUILD) -std=gnu11 -fopenmp -march=x86-64-v3
analyze: packages $(BUILD)/page.inc
	@scripts/setup.sh analyze
	$(EACH) 1 gcc $(ANALYZED) -O0 -fanalyzer -Werror -c -o /dev/null
	$(EACH) 4 sh -c 'clang-tidy --quiet "$$@" -- $(ANALYZED) 2>$(BUILD)/output' clang-tidy
	@cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
		--suppressions-list=scripts/cppcheck.txt --include=/usr/include/cjson/cJSON.h -I$(BUILD) \
		$(CPPFLAGS) -D__x86_64__ -D__GNUC__ '-D_Noreturn=__attribute__((noreturn))' \
		$(ROOMS) train.c sample.c attend.c
	@echo '  nothing found'

aarch64:
	@scripts/setup.sh aarch64
	@$(MAKE) --no-print-directory units demo CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
		ARCH=armv8-a RUN=qemu-aarch64-static BUILD=build/aarch64 BIN=build/aarch64/bin

.PHONY: sanitize fuzz fuzzers torture tsan valgrind analyze aarch64
