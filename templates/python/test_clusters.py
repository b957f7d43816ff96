"""Runs the rules on everything that the program declares."""

from cdk8s_harvester import FindingLevel, HarvesterTesting

from clusters import platform
from delivery import DELIVERY

# placeholders replace the secrets of the environment
app = HarvesterTesting.app(**DELIVERY)
platform(app)


def test_has_no_errors() -> None:
    errors = [finding.message for finding in app.validate() if finding.level == FindingLevel.ERROR]
    assert errors == []


def test_sets_the_ntp_servers_of_harvester() -> None:
    names = [each["metadata"]["name"] for each in HarvesterTesting.manifests(app)["dc1"] if each["kind"] == "Setting"]
    assert "ntp-servers" in names
