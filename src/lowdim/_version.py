"""The version; the build reads it from here, and nowhere else is it written."""

__version__ = "0.1.0.dev0"
