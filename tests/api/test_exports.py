"""What `import understudy` offers."""

import subprocess
import sys

import understudy as us


def test_every_exported_name_is_there_and_the_list_is_sorted():
    assert us.__all__ == sorted(us.__all__)
    for name in us.__all__:
        assert getattr(us, name) is not None
    assert set(us.__all__) <= set(dir(us))


def test_the_lazy_map_and_the_list_agree():
    assert {*us._HOME_OF, "correlate", "load", "randomize", "__version__"} == set(us.__all__)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(us, "publsh")


def test_importing_the_package_or_its_command_line_loads_nothing_heavy():
    code = (
        "import sys, understudy, understudy.cli; heavy = {'numpy', 'numba', 'pyarrow', 'pandas', 'pydantic', 'opendp'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
