"""Runs the rules on everything that the program declares."""

import os

from cdk8s_harvester import FindingLevel, HarvesterApp

from clusters import platform
from delivery import DELIVERY

# the test needs no secret of the environment
os.environ["CDK8S_HARVESTER_SECRETS"] = "placeholder"


def test_has_no_errors() -> None:
    app = HarvesterApp(**DELIVERY)
    platform(app)
    errors = [finding.message for finding in app.validate() if finding.level == FindingLevel.ERROR]
    assert errors == []
