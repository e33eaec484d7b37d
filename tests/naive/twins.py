"""Which slow twin stands behind which kernel. A kernel is not done before it has a line here.

The inner loops of the counting engine are checked through the engine, which is made to take each of its ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.naive import (
    answering,
    counting,
    drawing,
    hashing,
    measuring,
    noise,
    publishing,
    reading,
    rowsfit,
    scoring,
    treefit,
    unmixing,
)

Twins = Mapping[str, Callable[..., Any]]

COUNTING: Twins = {
    **dict.fromkeys(
        ("cover", "look_up", "number_cells", "tally", "tally_weighted", "merge_lanes", "project_tables"),
        counting.naive_count,
    ),
    **dict.fromkeys(("binary_tables", "subset_keys", "gather_binary"), counting.naive_count),
    "tally_ns": counting.naive_tally_ns,
    "zeta": counting.naive_zeta,
    "moebius": counting.naive_zeta,
    "count_subsets": counting.naive_subset_count,
    "bits_set": counting.naive_bits_set,
}
PRIVACY: Twins = {
    "below": noise.naive_below,
    "flip_exp_fraction": noise.naive_flip,
    "flip_exp_one": noise.naive_flip_one,
    "flip_exp_steps": noise.naive_flip_steps,
    "draw_laplace": noise.naive_laplace,
    "add_laplace": noise.naive_noisy,
    "add_gaussian": noise.naive_rounded,
    "flip_gap": noise.naive_flip_gap,
    "permute_and_flip": noise.naive_permute_and_flip,
    "exponential": noise.naive_exponential,
}
RANDOM: Twins = {
    "rotl": drawing.naive_rotl,
    "next_word": drawing.NaiveXoshiro,
    "unit": drawing.NaiveXoshiro,
    "below": drawing.NaiveXoshiro,
}
DRAWING: Twins = {
    "_find": drawing.naive_find,
    "set_place": drawing.naive_place,
    "add_place": drawing.naive_place,
    "_fill": drawing.naive_balanced,
    "draw_balanced": drawing.naive_balanced,
    "_stride": drawing.naive_stride,
    "deal_balanced": drawing.naive_dealt,
    "sort_rows": drawing.naive_sorted_rows,
    "draw_independent": drawing.naive_independent,
}
SCORING: Twins = {
    "r_scores": scoring.naive_r,
    "information_scores": scoring.naive_information,
    "f_scores": scoring.naive_f,
    "_best_masses": scoring.naive_best_masses,
    "_decide_clear_cases": scoring.naive_best_split,
    "_best_of_few": scoring.naive_best_split,
}
MEASURING: Twins = {
    "number_keys": measuring.naive_number_keys,
    "crossed_difference": measuring.naive_share_differences,
    "share_differences": measuring.naive_share_differences,
}
RANDOMIZING: Twins = {
    "draw_response": publishing.naive_response,
    "draw_matrix": publishing.naive_matrix,
    "find_cell": publishing.naive_matrix,
}
UNMIXING: Twins = dict.fromkeys(("combine", "map_dense", "map_shared"), unmixing.naive_axis_by_axis)
HASHING: Twins = {
    "rotated": hashing.naive_rotated,
    "mix": hashing.naive_compress,
    "compress": hashing.naive_compress,
    "hmac_short": hashing.naive_hmac,
}
ANSWERING: Twins = dict.fromkeys(
    ("weigh", "along", "answer_products", "multiply_out", "scale_cells", "add_up", "printed_rounds"),
    answering.naive_rounds,
)
CORRELATING: Twins = {"largest_sums": answering.naive_correlated_sensitivity}
TREEFIT: Twins = {
    **dict.fromkeys(("eliminate", "cells_with"), treefit.naive_cells),
    **dict.fromkeys(("index_map", "sum_into", "_log_sums", "calibrate", "_pass_on"), treefit.naive_pair),
    **dict.fromkeys(("_solve", "_lower_effects", "_centre", "sweep"), treefit.naive_fit),
}
ROWSFIT: Twins = {
    "tally_pairs": rowsfit.naive_table,
    "follow_tables": rowsfit.naive_weights,
    "swap_rows": rowsfit.naive_swaps,
}
READING: Twins = {
    "code_values": reading.naive_codes,
    "bin_values": reading.naive_bins,
}
INSIDE: Twins = {
    **dict.fromkeys(("place", "place_points"), reading.naive_points),
    **dict.fromkeys(
        (
            *("part_below", "parts_between", "times", "at_most", "smallest", "draw_between", "bound"),
            *("put_in_order", "mark_broken"),
        ),
        reading.NaiveRow,
    ),
    **dict.fromkeys(
        ("broken_rows", "mark_rows", "place_again", "draw_again", "keep_order"), reading.naive_rows_in_order
    ),
}
APART: Twins = dict.fromkeys(("stratum_of", "draw_parts", "draw_above"), reading.NaiveApart)
TWINS: Mapping[str, Twins] = {
    "understudy._core._kernels": RANDOM,
    "understudy.answers._kernels": ANSWERING,
    "understudy.correlate._kernels": CORRELATING,
    "understudy.counting._kernels": COUNTING,
    "understudy.privacy._kernels": PRIVACY,
    "understudy.models._kernels": DRAWING,
    "understudy.models._scoring._kernels": SCORING,
    "understudy.models._treefit._kernels": TREEFIT,
    "understudy.models._rowsfit._kernels": ROWSFIT,
    "understudy.evaluation._kernels": MEASURING,
    "understudy.randomize._linear._kernels": UNMIXING,
    "understudy.randomize._kernels": RANDOMIZING,
    "understudy.randomize._hashing._kernels": HASHING,
    "understudy.tables._kernels": READING,
    "understudy.tables._inside._kernels": INSIDE,
    "understudy.tables._inside._apart._kernels": APART,
}
