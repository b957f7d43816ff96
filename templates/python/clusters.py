"""Everything on all clusters."""

from cdk8s import Size
from cdk8s_harvester import (
    Cpu,
    HarvesterApp,
    HarvesterChart,
    HarvesterImport,
    Principal,
    ProjectMember,
    Quota,
    RancherChart,
    TenantNamespaceProps,
    TenantProject,
)
from cdk8s_harvester.settings import HarvesterSetting


def platform(app: HarvesterApp) -> None:
    """Declares everything on all clusters."""
    # your versions and addresses
    rancher = RancherChart(app, "rancher", version="2.15.0", server_url="https://rancher.example.com")
    dc1 = HarvesterChart(app, "dc1", version="1.9.0", vip="10.10.0.10")

    harvester = HarvesterImport(rancher, "import-dc1", harvester=dc1)

    HarvesterSetting.ntp_servers(dc1, "ntp", ["0.pool.ntp.org", "1.pool.ntp.org"])

    # a team: its members, its namespace for machines, and how much it may use
    TenantProject(
        rancher,
        "payments",
        cluster=harvester,
        tenant_namespaces=[TenantNamespaceProps(name="payments-vms")],
        quota=Quota(limits_cpu=Cpu.units(32), limits_memory=Size.gibibytes(128)),
        members=[ProjectMember.owner(Principal.group("okta_group://payments"))],
    )
