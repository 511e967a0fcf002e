"""What hatchling calls when it builds a wheel: make builds the programs, which go into it."""

from __future__ import annotations

import subprocess
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Programs(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        subprocess.run(["make", "wheel-programs"], cwd=self.root, check=True)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        for folder in ("bin", "licenses"):
            build_data["force_include"][f"build/wheel/{folder}"] = f"pulga/{folder}"
