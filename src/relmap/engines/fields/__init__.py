"""Fields: sums of kernels over many points, with gradients, and the places they determine."""

from relmap.engines.fields.choose import METHODS, choose, solve
from relmap.engines.fields.evidence import FieldEvidence, check
from relmap.engines.fields.place import Placement, Placing, place
from relmap.engines.fields.problem import GAUSSIAN, KERNELS, STUDENT, Field, Kernel, KernelSums

__all__ = [
    "GAUSSIAN",
    "KERNELS",
    "METHODS",
    "STUDENT",
    "Field",
    "FieldEvidence",
    "Kernel",
    "KernelSums",
    "Placement",
    "Placing",
    "check",
    "choose",
    "place",
    "solve",
]
