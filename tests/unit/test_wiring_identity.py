from dataclasses import replace
from pathlib import Path

from fakes_store import fix_check, fix_issue

from bot.settings import Settings
from bot.wiring.sandbox import identity, install_settings
from sandbox.spec import MIB

SETTINGS = Settings(data_dir=Path("data"))


def test_a_repository_is_told_by_its_id_whatever_its_name_and_by_the_server_that_gave_it() -> None:
    job = replace(fix_issue(), repository_id=7)
    assert identity(SETTINGS, job) == identity(SETTINGS, replace(fix_check(), repository_id=7, repository="new/name"))
    assert identity(SETTINGS, job) != identity(SETTINGS, replace(job, repository_id=8))
    elsewhere = SETTINGS.model_copy(update={"github_url": "https://github.example"})
    assert identity(elsewhere, job) != identity(SETTINGS, job)


def test_a_job_from_before_there_were_ids_shares_with_none_but_itself() -> None:
    first, second = fix_issue(), replace(fix_issue(), delivery_id="another")
    assert identity(SETTINGS, first) == identity(SETTINGS, first)
    assert len({identity(SETTINGS, first), identity(SETTINGS, second)}) == 2


def test_the_settings_bound_what_is_kept_and_name_the_runtime_that_installs_instead() -> None:
    settings = SETTINGS.model_copy(
        update={
            "image_gib": 1.0,
            "package_caches_gib": 0.5,
            "package_cache_mib": 10,
            "install_runtime_fallback": "runc",
        }
    )
    install = install_settings(settings)
    assert (install.room.images, install.room.caches) == (1024 * MIB, 512 * MIB)
    assert (install.limits.cache, install.fallback) == (20 * MIB, "runc")
    assert install_settings(SETTINGS).fallback is None
