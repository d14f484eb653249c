"""Where sentences end."""

from __future__ import annotations

import re

SENTENCE_END = re.compile(r"(?<=[.!?\u2026\u3002])[\"'\u2019\u201d)\]]*\s+|\n\s*\n")
