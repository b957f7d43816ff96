"""Writes the output of the program to the folder dist."""

from cdk8s_harvester import HarvesterApp

from clusters import platform
from delivery import DELIVERY

app = HarvesterApp(**DELIVERY)
platform(app)
app.synth()
