# make            builds ./train
# make demo       trains on the nine sentences, from nothing
# make test       passes every test
# make sanitize   the same tests under the address and undefined-behaviour sanitizers
# make parity     compares with PyTorch (PYTHON must have torch and numpy)
# make install    PREFIX=/usr/local
#
# ARCH=x86-64-v3 builds for other machines than this one; OPENMP=0 without threads; CC=clang works.

ARCH ?= native
OPENMP ?= 1
PREFIX ?= /usr/local
PYTHON ?= python3
BUILD ?= build
BIN ?= .
SANITIZE ?=

# No fast-math: what it breaks is named in the README. These two only drop errno and traps.
CFLAGS ?= -O3 -g -march=$(ARCH)
override CFLAGS += -std=gnu11 -fno-math-errno -fno-trapping-math \
	-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(SANITIZE)
override CFLAGS += $(if $(filter 1,$(OPENMP)),-fopenmp,-fopenmp-simd)
override CPPFLAGS += -D_GNU_SOURCE
LDLIBS = -lstb -lutf8proc -lcjson -lxxhash -lm

PROGRAMS = train
ROOMS = $(wildcard model/*.c model/matrix/*.c model/layers/*.c data/*.c program/*.c)
TESTS = $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
EXACT = $(patsubst tests/%.c,%,$(wildcard tests/exact_*.c))

FLOAT = $(BUILD)/float
DOUBLE = $(BUILD)/double
float_objects = $(patsubst %.c,$(FLOAT)/%.o,$(1))
double_objects = $(patsubst %.c,$(DOUBLE)/%.o,$(1))

all: $(addprefix $(BIN)/,$(PROGRAMS))

$(addprefix $(BIN)/,$(PROGRAMS)): $(BIN)/%: $(FLOAT)/%.o $(call float_objects,$(ROOMS))
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

# The same code with its number type set to double, for the tests of exactness.
$(DOUBLE)/train: $(DOUBLE)/train.o $(call double_objects,$(ROOMS))
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(FLOAT)/%.o: %.c $(BUILD)/flags | packages
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(DOUBLE)/%.o: %.c $(BUILD)/flags | packages
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DREAL=double $(CFLAGS) -MMD -MP -c -o $@ $<

# Other flags than last time: everything is built again.
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CPPFLAGS) $(CFLAGS)' > $@

packages:
	@scripts/setup.sh build

# test_* run on the float build, exact_* on the double build.
HELPERS = $(filter-out tests/test_%.c tests/exact_%.c tests/dump_%.c,$(wildcard tests/*.c))
$(addprefix $(BUILD)/tests/,$(TESTS)): $(BUILD)/tests/%: $(FLOAT)/tests/%.o \
		$(call float_objects,$(HELPERS) $(ROOMS))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

$(addprefix $(BUILD)/tests/,$(EXACT)): $(BUILD)/tests/%: $(DOUBLE)/tests/%.o \
		$(call double_objects,$(HELPERS) $(ROOMS))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

$(BUILD)/tests/dump_double: $(DOUBLE)/tests/dump_double.o $(call double_objects,$(HELPERS) $(ROOMS))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcmocka
$(BUILD)/tests/test_precision: | $(BUILD)/tests/dump_double

demo: all
	rm -rf runs/demo
	$(BIN)/train data/perro.txt --out runs/demo

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all packages always demo
