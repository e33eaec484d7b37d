"""The release folder appears whole or not at all."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from understudy._core.errors import OutputError
from understudy.release import _folder as folder_module
from understudy.release import check_output, whole_folder


def fill(folder):
    (folder / "privacy.json").write_text("new")
    (folder / "synthetic.csv").write_text("a\n1\n")


def write_and(out, error):
    with whole_folder(out, overwrite=True) as folder:
        fill(folder)
        raise error


def test_the_folder_is_there_with_all_its_files(tmp_path):
    with whole_folder(tmp_path / "release") as folder:
        fill(folder)
        assert not (tmp_path / "release").exists()
    assert sorted(os.listdir(tmp_path)) == ["release"]
    assert sorted(os.listdir(tmp_path / "release")) == ["privacy.json", "synthetic.csv"]


def test_others_may_read_it_as_they_may_read_any_new_folder(tmp_path):
    umask = os.umask(0o022)
    try:
        with whole_folder(tmp_path / "release") as folder:
            fill(folder)
    finally:
        os.umask(umask)
    assert (tmp_path / "release").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "release" / "privacy.json").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_a_failure_leaves_nothing_behind(tmp_path, error):
    with pytest.raises(error):
        write_and(tmp_path / "deep" / "release", error)
    assert os.listdir(tmp_path) == []


def test_an_existing_folder_is_refused_and_untouched(tmp_path):
    out = tmp_path / "release"
    out.mkdir()
    with pytest.raises(OutputError, match=r"already exists.*--overwrite"), whole_folder(out):
        pytest.fail("must not get here")
    assert os.listdir(out) == []


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "release").write_text("mine")
    with pytest.raises(OutputError, match="is a file"), whole_folder(tmp_path / "release", overwrite=True):
        pytest.fail("must not get here")


def test_overwriting_replaces_the_old_release(tmp_path):
    out = tmp_path / "release"
    with whole_folder(out) as folder:
        (folder / "model.understudy").write_text("old")
    with whole_folder(out, overwrite=True) as folder:
        fill(folder)
    assert sorted(os.listdir(out)) == ["privacy.json", "synthetic.csv"]
    assert os.listdir(tmp_path) == ["release"]


def test_overwriting_never_removes_a_folder_that_is_not_a_release(tmp_path):
    out = tmp_path / "home"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.tex"), whole_folder(out, overwrite=True):
        pytest.fail("must not get here")
    assert (out / "thesis.tex").read_text() == "years of work"


def test_a_failed_overwrite_keeps_the_old_release(tmp_path):
    out = tmp_path / "release"
    with whole_folder(out) as folder:
        (folder / "privacy.json").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_and(out, KeyboardInterrupt)
    assert (out / "privacy.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["release"]


def test_an_interrupt_at_every_step_of_the_swap_loses_nothing(tmp_path, monkeypatch):
    """Every call that changes the disk is interrupted in turn, before and after it took effect."""
    steps = count_steps(tmp_path / "dry", monkeypatch)
    assert steps > 4
    for step in range(steps):
        for after in (False, True):
            home = tmp_path / f"{step}-{after}"
            home.mkdir()
            out = home / "release"
            with whole_folder(out) as folder:
                (folder / "privacy.json").write_text("old")
            with monkeypatch.context() as patch:
                interrupt_at(patch, step, after=after)
                try:
                    with whole_folder(out, overwrite=True) as folder:
                        fill(folder)
                except KeyboardInterrupt:
                    pass
            assert (out / "privacy.json").read_text() in ("old", "new"), (step, after)
            whole = {"old": ["privacy.json"], "new": ["privacy.json", "synthetic.csv"]}
            assert sorted(os.listdir(out)) == whole[(out / "privacy.json").read_text()]
            assert [name for name in os.listdir(home) if name.endswith(".old")] == [], (step, after)


def count_steps(home, monkeypatch):
    home.mkdir()
    with whole_folder(home / "release") as folder:
        (folder / "privacy.json").write_text("old")
    with monkeypatch.context() as patch:
        calls = interrupt_at(patch, None)
        with whole_folder(home / "release", overwrite=True) as folder:
            fill(folder)
    return len(calls)


def interrupt_at(patch, step, *, after=False):
    calls = []

    def guarded(real):
        def call(*args, **kwargs):
            calls.append(real)
            due = step is not None and len(calls) - 1 == step
            if due and not after:
                raise KeyboardInterrupt
            result = real(*args, **kwargs)
            if due:
                raise KeyboardInterrupt
            return result

        return call

    patch.setattr(Path, "rename", guarded(Path.rename))
    patch.setattr(os, "fsync", guarded(os.fsync))
    patch.setattr(Path, "chmod", guarded(Path.chmod))
    return calls


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "the disk is read-only"),
        (errno.EACCES, "permission denied"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_trouble_with_the_disk_is_one_sentence(tmp_path, monkeypatch, number, words):
    def fail(path):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(folder_module, "_flush", fail)
    with pytest.raises(OutputError, match=words), whole_folder(tmp_path / "release") as folder:
        fill(folder)
    assert os.listdir(tmp_path) == []


def test_a_parent_that_is_a_file_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="a part of the path is a file"), whole_folder(tmp_path / "file" / "release"):
        pytest.fail("must not get here")


def test_a_folder_made_by_somebody_else_meanwhile_is_not_replaced(tmp_path):
    out = tmp_path / "release"
    with pytest.raises(OutputError, match="already exists"):
        write_while_somebody_else_makes(out)
    assert os.listdir(out) == ["theirs"]
    assert os.listdir(tmp_path) == ["release"]


def write_while_somebody_else_makes(out):
    with whole_folder(out) as folder:
        fill(folder)
        out.mkdir()
        (out / "theirs").write_text("")


def test_check_output_says_nothing_about_a_free_name(tmp_path):
    check_output(tmp_path / "free", overwrite=False)
    shutil.rmtree(tmp_path)
    check_output(tmp_path / "free", overwrite=False)


def test_a_second_run_with_the_same_target_is_refused_at_once(tmp_path):
    out = tmp_path / "release"
    with whole_folder(out) as folder:
        with pytest.raises(OutputError, match="another run is writing 'release'"), whole_folder(out):
            pass
        (folder / "privacy.json").write_text("{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release"]
    with whole_folder(out, overwrite=True):
        pass
    assert list(out.iterdir()) == []


def test_what_a_killed_run_left_is_cleared_away(tmp_path):
    left = tmp_path / ".release.part"
    (left / "deep").mkdir(parents=True)
    (left / "synthetic.csv").write_text("half")
    with whole_folder(tmp_path / "release") as folder:
        assert list(folder.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release"]


def test_a_link_in_place_of_the_hidden_folder_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "keep").write_text("")
    (tmp_path / ".release.part").symlink_to(victim)
    with pytest.raises(OutputError), whole_folder(tmp_path / "release"):
        pass
    assert (victim / "keep").exists()


def test_an_interrupt_after_the_rename_leaves_the_folder_of_the_next_run_alone(tmp_path, monkeypatch):
    flush = folder_module._flush

    def late(path):
        flush(path)
        if path == tmp_path:  # the name is free again, and the next run takes it
            (tmp_path / ".release.part").mkdir()
            (tmp_path / ".release.part" / "synthetic.csv").write_text("theirs")
            raise KeyboardInterrupt

    monkeypatch.setattr(folder_module, "_flush", late)
    with pytest.raises(KeyboardInterrupt), whole_folder(tmp_path / "release") as folder:
        fill(folder)
    assert (tmp_path / ".release.part" / "synthetic.csv").read_text() == "theirs"
    assert sorted(os.listdir(tmp_path / "release")) == ["privacy.json", "synthetic.csv"]


def test_a_folder_that_may_not_be_looked_into_is_told(tmp_path, monkeypatch):
    (tmp_path / "release").mkdir()

    def refuse(self):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(OutputError, match="permission denied"), whole_folder(tmp_path / "release", overwrite=True):
        pass


def test_a_release_that_was_being_replaced_when_the_run_was_killed_gets_its_name_back(tmp_path):
    old = tmp_path / ".release.0.old"
    old.mkdir()
    (old / "privacy.json").write_text("{}")
    with pytest.raises(OutputError, match="already exists"), whole_folder(tmp_path / "release"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert (tmp_path / "release" / "privacy.json").read_text() == "{}"


def test_a_release_that_was_replaced_when_the_run_was_killed_is_cleared_away(tmp_path):
    for name in (".release.0.old", "release"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "privacy.json").write_text(name)
    (tmp_path / ".release.1.old").mkdir()
    (tmp_path / ".release.1.old" / "diary.txt").touch()
    with whole_folder(tmp_path / "release", overwrite=True) as folder:
        (folder / "privacy.json").write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".release.1.old", "release"]  # the other is no release
    assert (tmp_path / "release" / "privacy.json").read_text() == "new"
