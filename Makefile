# make            builds ./train, ./sample and ./attend
# make demo       all three on the nine sentences, from nothing
# make test       passes every test
# make sanitize   the same tests under the address and undefined-behaviour sanitizers
# make fuzz       FUZZ_SECONDS each of libFuzzer on every target of tests/fuzz (wants clang)
# make torture    kills runs at thousands of moments, fails each of their calls, fills disks; prints
#                 counts; TORTURE_SECONDS=600 at most
# make tsan       the unit tests, and runs on many threads, under the thread sanitizer
# make valgrind   the quicker unit tests, and short runs of all three, under valgrind
# make analyze    what gcc -fanalyzer, clang-tidy and cppcheck see in the code
# make aarch64    the unit tests and the demo on an emulated ARM processor
# make parity     compares with PyTorch and Transformers (PYTHON must have torch, numpy and those)
# make browser    looks at the pages of ./attend in Chromium; pictures in build/browser
# make bench      how fast, against what the machine can do and, where PYTHON has it, PyTorch
# make bench-long the same with GPT-2 at its full context
# make install    PREFIX=/usr/local
# make clean
#
# ARCH=x86-64-v3 builds for other machines than this one; OPENMP=0 without threads; CC=clang works.

ARCH ?= native
OPENMP ?= 1
PREFIX ?= /usr/local
PYTHON ?= python3
BUILD ?= build
BIN ?= .
BATS ?= tests/programs
SANITIZE ?=
# What runs a program that this machine does not, or that is to be watched: an emulator, valgrind.
RUN ?=

# No fast-math: sums keep their order and NAN stays NAN. These two drop only errno and traps.
CFLAGS ?= -O3 -g -march=$(ARCH) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
override CFLAGS += -std=gnu11 -fno-math-errno -fno-trapping-math \
	-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(SANITIZE) \
	$(if $(filter 1,$(OPENMP)),-fopenmp,-fopenmp-simd)
# An include with a slash names a file of another room.
override CPPFLAGS += -D_GNU_SOURCE -I.
# Of the rooms and the libraries a program gets what it calls: only sample edits lines.
LDLIBS = -Wl,--as-needed -lutf8proc -lcjson -lxxhash -ledit -lm
LINK = @mkdir -p $(@D) && echo '  link $@' && $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
PACK = @rm -f $@ && $(AR) rcs $@ $^
# The stack is guarded where bytes from outside are handled; in model/ it would cost half a percent.
GUARD = $(if $(filter model/%,$<),,-fstack-protector-strong)
COMPILE = @mkdir -p $(@D) && echo '  $(CC) $<' && \
	$(CC) $(CPPFLAGS) $(CFLAGS) $(GUARD) -MMD -MP -c -o $@ $<

PROGRAMS = $(addprefix $(BIN)/,train sample attend)
ROOMS = $(wildcard $(foreach room,base model model/layers model/matrix model/generate data data/corpus \
	formats formats/huggingface training training/run pictures program,$(room)/*.c))
# Tests lie in tests/ROOM and run on the float build. Those in tests/ROOM/double run on the same
# code with its number type set to double. tests/helpers is shared by all of them; the programs in
# tests/tools and tests/tools/double are called by other tests.
HELPERS = $(wildcard tests/helpers/*.c)
TESTS = $(patsubst %.c,$(BUILD)/%,$(wildcard $(foreach room,base model data formats training pictures \
	program,tests/$(room)/*.c)))
EXACT = $(patsubst %.c,$(BUILD)/%,$(filter-out tests/tools/%,$(wildcard tests/*/double/*.c)))
TOOLS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/tools/*.c))
EXACT_TOOLS = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/tools/double/*.c))
FUZZERS = $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_HELPERS = tests/helpers/tiny.c $(filter-out tests/fuzz/fuzz_%,$(wildcard tests/fuzz/*.c))
in_float = $(patsubst %.c,$(BUILD)/float/%.o,$(1))
in_double = $(patsubst %.c,$(BUILD)/double/%.o,$(1))

all: $(PROGRAMS)

$(PROGRAMS): $(BIN)/%: $(BUILD)/float/%.o $(BUILD)/float/rooms.a
	$(LINK)
$(BUILD)/double/train: $(BUILD)/double/train.o $(BUILD)/double/rooms.a
	$(LINK)
$(TESTS) $(TOOLS): $(BUILD)/%: $(BUILD)/float/%.o $(call in_float,$(HELPERS)) $(BUILD)/float/rooms.a
	$(LINK) -lcmocka
$(EXACT) $(EXACT_TOOLS): $(BUILD)/%: $(BUILD)/double/%.o $(call in_double,$(HELPERS)) \
		$(BUILD)/double/rooms.a
	$(LINK) -lcmocka

# What a target takes from the libraries and changes: see tests/fuzz/harness.c.
$(FUZZERS): $(BUILD)/%: $(BUILD)/float/tests/fuzz/%.o $(call in_float,$(FUZZ_HELPERS)) \
		$(BUILD)/float/rooms.a
	$(LINK) -fsanitize=fuzzer $(patsubst %,-Wl$(,)--wrap=%,exit fopen fdopen open_memstream fopencookie fclose \
		XXH3_64bits XXH3_64bits_withSeed XXH3_64bits_digest)
, = ,

$(BUILD)/tests/faults: tests/torture/faults.c $(BUILD)/flags
	@mkdir -p $(@D) && echo '  $(CC) $<' && $(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $<

$(BUILD)/float/rooms.a: $(call in_float,$(ROOMS))
	$(PACK)
$(BUILD)/double/rooms.a: $(call in_double,$(ROOMS))
	$(PACK)

$(BUILD)/float/%.o: %.c $(BUILD)/flags | packages
	$(COMPILE)
$(BUILD)/double/%.o: CPPFLAGS += -DREAL=double
$(BUILD)/double/%.o: %.c $(BUILD)/flags | packages
	$(COMPILE)

# The page that attend fills, as C strings, one a line: the program stands alone.
$(BUILD)/page.inc: pictures/page.html
	@mkdir -p $(@D)
	@sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $< > $@
WITH_PAGE = $(call in_float,pictures/heatmap_html.c) $(call in_double,pictures/heatmap_html.c)
$(WITH_PAGE): $(BUILD)/page.inc
$(WITH_PAGE): CPPFLAGS += -I$(BUILD)

# Other flags than last time: everything is built again.
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS)' > $@

packages:
	@scripts/setup.sh $(firstword $(filter browser fuzz,$(MAKECMDGOALS)) \
		$(if $(filter test units sanitize,$(MAKECMDGOALS)),test,build))

# One after another, so that what fails is the last thing said.
units: packages
	@$(MAKE) --no-print-directory -j$$(nproc) all $(TESTS) $(EXACT) $(EXACT_TOOLS) \
		$(BUILD)/double/train $(BUILD)/tests/faults
	@for test in $(sort $(TESTS) $(EXACT)); do \
		$(RUN) $$test >$(BUILD)/output 2>&1 && echo "  passed $$test" || \
		{ cat $(BUILD)/output; echo "  FAILED $$test"; exit 1; }; done

# tests/programs/*.bats call the programs.
test: units
	@BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) bats $(BATS)

# What finds faults that tests do not: sanitize, fuzz, torture, tsan, valgrind, analyze, aarch64.
include tests/watch.mk

parity:
	@$(MAKE) --no-print-directory -j$$(nproc) all $(TOOLS) $(BUILD)/double/train
	@PYTHON=$(PYTHON) BIN=$(BIN) BUILD=$(BUILD) scripts/parity.sh

$(BUILD)/bench/bench: $(call in_float,$(wildcard bench/*.c)) $(BUILD)/float/rooms.a
	$(LINK)
bench bench-long: $(BUILD)/bench/bench
	@PYTHON=$(PYTHON) $< $(BUILD)/bench.json $(filter long,$(subst -, ,$@))

browser: all
	@BIN=$(abspath $(BIN)) BUILD=$(abspath $(BUILD)) $(PYTHON) tests/browser.py

demo:
	@$(MAKE) --no-print-directory -j$$(nproc) all
	rm -rf runs/demo
	$(RUN) $(BIN)/train data/perro.txt --out runs/demo $(DEMO)
	$(RUN) $(BIN)/sample runs/demo un gato
	$(RUN) $(BIN)/attend runs/demo un gato come -o runs/demo/attention.html

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin

clean:
	rm -rf build $(notdir $(PROGRAMS))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all packages always units test parity browser bench bench-long demo install clean
