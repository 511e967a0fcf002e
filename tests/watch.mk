# watch.mk: the goals of the Makefile that look for faults which the tests alone do not find. Each
# builds in a directory of its own.

FUZZ_SECONDS ?= 60

# Without what is compiled in double: it is the same code.
IN_FLOAT = EXACT=
# Of a damaged run, fewer bytes are tried.
FEW_BYTES = PULGA_EVERY=997

# Training takes a third of the time if model/ is compiled with -O2, and the compiler twice as long.
# Teams are left out (MPICC=): Open MPI itself keeps memory and has races that would be reported.
# So are tests that repeat commands of others, to compare what they print (printed.bats) or compute
# (same.bats) or to train to the end (floor.bats, pairs.bats), and busy.bats, which measures processor
# time; and tests with the tag "long", which would take minutes in code that others run as well.
WATCHED ?= $(filter-out team printed floor pairs busy same,$(ALL_BATS:tests/programs/%.bats=%))
sanitize:
	@$(SETUP) sanitize
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	$(MAKE) --no-print-directory test $(IN_FLOAT) MPICC= \
		BUILD=build/sanitize BIN=build/sanitize/bin \
		BATS='$(WATCHED:%=tests/programs/%.bats)' \
		CFLAGS='-O1 $$(if $$(filter model/%,$$<),-O2) -g -march=$(ARCH)' SANITIZE='-fsanitize=address,undefined -fno-omit-frame-pointer'

# clang 14 takes minutes to optimize the kernels with these checks.
fuzz:
	@$(SETUP) fuzz
	@$(MAKE) --no-print-directory $(JOBS) fuzzers BUILD=build/fuzz CC=clang OPENMP=0 \
		CFLAGS='$$(if $$(filter model/matrix/kernels/%,$$<),-O0,-O1) -g -march=$(ARCH) -Wno-pass-failed' \
		SANITIZE='-fsanitize=address,undefined -fsanitize=float-cast-overflow,fuzzer-no-link -fno-sanitize-recover=undefined'
	@tests/fuzz/run.sh $(FUZZ_SECONDS)
fuzzers: $(FUZZERS)
# stb_ds, which is compiled in base/base.c, uses a char[8] as the beginning of a longer array.
$(BUILD)/float/base/base.o: override CFLAGS += -fno-sanitize=bounds

torture:
	@$(SETUP) torture
	@$(MAKE) --no-print-directory $(JOBS) all $(BUILD)/tests/faults $(BUILD)/tests/programs/train/damage
	@BUILD='$(abspath $(BUILD))' tests/torture/damage.sh
	@BIN='$(abspath $(BIN))' BUILD='$(abspath $(BUILD))' \
		tests/torture/torture.bash points faults disks flips kills

# The thread sanitizer does not understand how GNU's OpenMP synchronises and would report races.
# clang's OpenMP reports its synchronisation to it through the library archer.
tsan:
	@$(SETUP) tsan
	@OMP_TOOL_LIBRARIES=$$(clang -print-resource-dir)/../../libarcher.so \
	TSAN_OPTIONS=ignore_noninstrumented_modules=1 $(FEW_BYTES) \
	$(MAKE) --no-print-directory test $(IN_FLOAT) CC=clang MPICC= \
		BUILD=build/tsan BIN=build/tsan/bin \
		CFLAGS='-O1 -g -march=$(ARCH) -Wno-pass-failed' \
		SANITIZE='-fsanitize=thread -fno-omit-frame-pointer' \
		PICK='-f "number of threads|SIGTERM|at once"'

# Debian's valgrind does not support AVX-512, and needs a second for a step of the usual model. A test
# that dies does not free its memory, so only the demo is checked for leaks.
WATCH = $(FEW_BYTES) $(MAKE) --no-print-directory ARCH=x86-64-v3 MPICC= \
	BUILD=build/valgrind BIN=build/valgrind/bin SANITIZE=-DLARGE_BLOCK=SIZE_MAX
valgrind:
	@$(SETUP) valgrind
	@$(WATCH) units $(IN_FLOAT) RUN='valgrind -q --error-exitcode=9' \
		SKIP='%/elementary.c %/stop.c %/windows.c %/source.c %/order.c'
	@$(WATCH) demo DEMO='--steps 20 --layers 2 --width 16 --dropout 0.1 --checkpoint-every 4' \
		RUN='valgrind -q --error-exitcode=9 --leak-check=full \
		--show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect'

# gcc -fanalyzer also reports variables that gcc itself makes, in optimizing and for parallel loops;
# so it reads the code unoptimized and its loops as serial ones.
ANALYZED_SOURCES = $(filter $(ONLY),$(SOURCES) $(NAMES:%=programs/%.c) programs/library.c)
EACH = @printf '%s\n' $(ANALYZED_SOURCES) | xargs -P $$(nproc) -n
ANALYZED = $(CPPFLAGS) -I$(BUILD) -std=gnu11 -march=x86-64-v3
analyze:
	@$(SETUP) analyze
	@$(MAKE) --no-print-directory $(BUILD)/page.inc $(BUILD)/es.inc
	@clang-format --dry-run -Werror $(FORMATTED)
	$(EACH) 1 gcc $(ANALYZED) -fopenmp-simd -O0 -fanalyzer -Werror -c -o /dev/null
	$(EACH) 4 sh -c 'clang-tidy --quiet "$$@" -- $(ANALYZED) -fopenmp 2>/dev/null' clang-tidy
	@cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
		--suppressions-list=scripts/cppcheck.txt --include=/usr/include/cjson/cJSON.h -I$(BUILD) \
		$(CPPFLAGS) -D__x86_64__ -D__GNUC__ '-D_Noreturn=__attribute__((noreturn))' \
		$(ANALYZED_SOURCES)
	@echo '  nothing found'

# Two tests are left out that take about a minute each in an emulator: others test the same layers,
# and texts have nothing to do with the processor.
aarch64:
	@$(SETUP) aarch64
	@$(FEW_BYTES) $(MAKE) --no-print-directory units demo $(IN_FLOAT) \
		SKIP='%/stop.c' \
		CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar ARCH=armv8-a RUN=qemu-aarch64-static \
		MPICC= BUILD=build/aarch64 BIN=build/aarch64/bin

# Everything: some hours.
night:
	@scripts/night.sh

# Small faults, as people make them: the tests that .ci/run runs find each.
faults:
	@$(MAKE) --no-print-directory build-tests
	@tests/faults/run.sh

same:
	@$(SETUP) same
	@tests/same/run.sh $(BUILDS)

.PHONY: sanitize fuzz fuzzers torture tsan valgrind analyze aarch64 faults same night
