import pytest

from tests.release.models import make_model


@pytest.fixture
def published():
    return make_model()
