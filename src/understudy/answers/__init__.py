"""Answering queries over a private table: workloads, strategies that spend a budget on them, answers with errors."""
