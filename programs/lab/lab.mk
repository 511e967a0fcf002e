# lab.mk: build/lab/pulga.html, one file with the page, the texts, and the trainer as WebAssembly: once
# with the relaxed multiply-add and once without, for browsers that have none.

LAB = $(BUILD)/lab
LAB_CC = clang-19 --target=wasm32-wasi
LAB_FLAGS = -std=gnu11 -O3 -msimd128 -ffp-contract=off -fno-math-errno -fno-trapping-math -D_GNU_SOURCE \
	-D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_GETPID -DUTF8PROC_STATIC \
	-DNDEBUG -I. -I$(BUILD) -isystem $(LAB)/include -isystem base/system
LAB_SOURCES = $(filter-out programs/terminal/process.c programs/train/compare.c programs/train/verify.c \
	programs/sample/% programs/export/% programs/attend/because.c,$(PORTABLE)) \
	base/system/wasi.c programs/lab.c
# The four programs as one, for Python.
WASM_SOURCES = $(filter-out programs/terminal/process.c,$(PORTABLE)) \
	$(WASI) $(PROMPT) programs/wasi.c $(NAMES:%=programs/%.c)
LAB_LIBRARIES = $(LAB)/sources/utf8proc/utf8proc.c $(LAB)/sources/cjson/cJSON.c $(LAB)/xxhash.c
KINDS = exact relaxed
relaxed = -mrelaxed-simd

lab:
	@$(SETUP) lab
	@scripts/lab_sources.sh $(LAB)/sources
	@$(MAKE) --no-print-directory $(JOBS) $(LAB)/pulga.html
	@echo '  ready: $(LAB)/pulga.html'

# The headers that have no package for WebAssembly; xxHash and stb are only headers. A newer xxHash
# takes the vectors of WebAssembly for those of ARM, which only Emscripten translates.
$(LAB)/include/ready: $(LAB)/sources/cjson/cJSON.h
	@mkdir -p $(@D)/cjson
	@ln -sf '$(abspath $(LAB))'/sources/cjson/cJSON.h $(@D)/cjson/
	@ln -sf '$(abspath $(LAB))'/sources/utf8proc/utf8proc.h /usr/include/xxhash.h /usr/include/xxh3.h $(@D)/
	@ln -sfn /usr/include/stb $(@D)/stb
	@touch $@
$(LAB)/xxhash.c: | $(LAB)/include/ready
	@printf '#undef __wasm_simd128__\n#define XXH_STATIC_LINKING_ONLY\n#define XXH_IMPLEMENTATION\n#include <xxhash.h>\n' >$@

define LAB_KIND
$(LAB)/$(1)/%.o: %.c $(LAB)/include/ready $(BUILD)/page.inc $(BUILD)/es.inc
	$$(COUNT) $(LAB_CC) $$(LAB_FLAGS) $$($(1)) -MMD -MP -c -o $$@ $$<
$(LAB)/$(1)/library/%.o: $(LAB)/%.c $(LAB)/include/ready
	$$(COUNT) $(LAB_CC) $(LAB_FLAGS) $$($(1)) -w -c -o $$@ $$<
$(LAB)/$(1).wasm: $(LAB_SOURCES:%.c=$(LAB)/$(1)/%.o) $(LAB_LIBRARIES:$(LAB)/%.c=$(LAB)/$(1)/library/%.o)
	$$(COUNT) $(LAB_CC) -nostartfiles -Wl,--entry=_initialize -o $$@ /usr/lib/wasm32-wasi/crt1-reactor.o $$^ $(LAB_LINK)
endef
LAB_LINK = -lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-getpid \
	-lm -Wl,-z,stack-size=8388608,--max-memory=4294967296,--strip-all
$(foreach kind,$(KINDS),$(eval $(call LAB_KIND,$(kind))))

# With the relaxed multiply-add, or where that rounds twice the one in software, which is slow. A
# signal is a number that is written to stop_signal.
$(foreach name,$(NAMES),$(eval $(LAB)/relaxed/programs/$(name).o: LAB_FLAGS += -Dmain=$(name)_main))
$(LAB)/programs.wasm: $(WASM_SOURCES:%.c=$(LAB)/relaxed/%.o) $(LAB_LIBRARIES:$(LAB)/%.c=$(LAB)/relaxed/library/%.o)
	$(COUNT) $(LAB_CC) -o $@ $^ $(LAB_LINK),--export=stop_signal

LAB_TEXTS = perro.txt cuentos.txt traducciones.tsv sumas.tsv copias.txt charla.txt
$(LAB)/pulga.html: programs/lab/build.sh $(wildcard programs/lab/*.js programs/lab/*.html programs/lab/*.css) programs/lab/cards.awk docs/lesson.md docs/leccion.md $(PAGE_BASE) $(PAGE_ROOM)/style.css $(KINDS:%=$(LAB)/%.wasm) \
		$(LAB_TEXTS:%=data/%)
	@programs/lab/build.sh $(LAB) $(LAB_TEXTS:%=data/%) >$@
.PHONY: lab
