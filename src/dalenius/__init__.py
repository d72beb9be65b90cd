"""dalenius: a statistical database that can be queried in public."""

__version__ = "0.1.0"
