"""Publish a private table as a synthetic one."""
