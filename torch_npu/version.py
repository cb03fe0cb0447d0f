"""The version of this package; the local part tells it from the genuine adapter."""

__version__ = "2.13.0+embedded"
