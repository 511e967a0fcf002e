"""What hatchling calls when it builds a wheel: make builds the programs, which go into it. They
are in the folder PULGA_WHEEL; in one called wasm they are WebAssembly, for every system, in one
called windows those for Windows, in one called macosx_… those for that macOS, in one called here those
that make has built."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# wasmtime has a new version each month; tests/python passed with the first and the last of these.
WASMTIME = "wasmtime>=40,<51; sys_platform != 'emscripten'"


class Programs(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        files = build_data["force_include"]
        folder = os.environ.get("PULGA_WHEEL", "build/wheel")
        system = os.path.basename(folder)
        if system == "wasm":
            subprocess.run(["make", "wheel-wasm-programs"], cwd=self.root, check=True)
            build_data["dependencies"].append(WASMTIME)
        elif system == "windows" or system.startswith("macosx"):
            platform = "win_amd64" if system == "windows" else system
            build_data["tag"] = f"py3-none-{platform}"
            build_data["pure_python"] = False
        else:
            if system != "here":
                subprocess.run(["make", "wheel-programs"], cwd=self.root, check=True)
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
            build_data["pure_python"] = False
        for inner in ("bin", "licenses"):
            files[f"{folder}/{inner}"] = f"pulga/{inner}"
        for text in ("perro.txt", "cuentos.txt"):
            files[f"data/{text}"] = f"pulga/data/{text}"
        if os.path.exists(os.path.join(self.root, "build/lab/pulga.html")):
            files["build/lab/pulga.html"] = "pulga/lab.html"
