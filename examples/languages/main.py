from cdk8s import ApiObjectMetadata, Size
from cdk8s_harvester import (
    AccountRole,
    AuthProvider,
    CloudInit,
    ClusterMemberRole,
    ClusterNetwork,
    Cpu,
    Disk,
    GuestAgent,
    GuestCluster,
    HarvesterApp,
    HarvesterChart,
    HarvesterImport,
    HarvesterLoadBalancer,
    IpPool,
    IpPoolRange,
    IpPoolScope,
    Ipam,
    Kubernetes,
    KubernetesObject,
    LateSource,
    LateValue,
    LoadBalancerPort,
    MachinePool,
    MachineRoles,
    Principal,
    ProjectMember,
    Quota,
    RancherChart,
    SecretDelivery,
    SecretValue,
    ServiceAccountKubeconfig,
    TenantProject,
    TokenSource,
    VirtualMachine,
    VmImage,
    VmNetwork,
)
from cdk8s_harvester.auth import OidcAuthConfig
from cdk8s_harvester.settings import HarvesterSetting

app = HarvesterApp(secrets=SecretDelivery.plain_text())
rancher = RancherChart(
    app,
    "rancher",
    version="2.13.8",
    server_url="https://rancher.example.com",
)
dc1 = HarvesterChart(app, "dc1", version="1.7.2", vip="10.10.0.10")

sso = OidcAuthConfig(
    rancher,
    "sso",
    provider=AuthProvider.KEYCLOAK_OIDC,
    client_id="rancher",
    client_secret=SecretValue.unsafe_plain_text("a-client-secret-for-examples"),
    issuer="https://sso.example.com/realms/platform",
)
team = sso.group("shop")
sso.grant(team)

harvester = HarvesterImport(
    rancher,
    "import-dc1",
    harvester=dc1,
    registration_token=TokenSource.value(
        SecretValue.unsafe_plain_text("a-registration-token-for-examples"),
    ),
)
HarvesterSetting.ntp_servers(dc1, "ntp", ["0.pool.ntp.org", "1.pool.ntp.org"])
HarvesterSetting.overcommit_config(
    dc1,
    "overcommit",
    cpu_percent=800,
    memory_percent=120,
    storage_percent=150,
)

project = TenantProject(
    rancher,
    "shop-project",
    cluster=harvester,
    quota=Quota(limits_cpu=Cpu.units(128), limits_memory=Size.gibibytes(512)),
    members=[ProjectMember.owner(team)],
)
vms = project.add_namespace(
    "shop-vms",
    quota=Quota(limits_cpu=Cpu.units(96), limits_memory=Size.gibibytes(384)),
)

image = VmImage.download(
    dc1,
    "noble",
    url="https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img",
)
network = VmNetwork(dc1, "prod", cluster_network=ClusterNetwork.mgmt(dc1), vlan=100)
addresses = IpPool(
    dc1,
    "shop",
    network=network,
    ranges=[IpPoolRange(subnet="10.20.0.0/24", start="10.20.0.100", end="10.20.0.119")],
)
addresses.add_range(subnet="10.20.1.0/24", start="10.20.1.100", end="10.20.1.119")

shop = GuestCluster(
    rancher,
    "shop",
    harvester_import=harvester,
    vm_namespace=vms,
    kubernetes=Kubernetes.rke2("v1.34.6+rke2r1"),
    pools=[
        MachinePool(
            name="control",
            quantity=3,
            roles=MachineRoles.CONTROL_PLANE_ETCD,
            cpus=4,
            memory=Size.gibibytes(8),
            disks=[Disk.image(image, Size.gibibytes(40))],
            networks=[network],
            ssh_user="ubuntu",
        ),
    ],
)
shop.add_pool(
    name="workers",
    quantity=4,
    roles=MachineRoles.WORKER,
    cpus=8,
    memory=Size.gibibytes(32),
    disks=[Disk.image(image, Size.gibibytes(80))],
    networks=[network],
    ssh_user="ubuntu",
    node_labels={"tier": "shop"},
)
addresses.add_scope(IpPoolScope.guest_cluster(shop))
shop.grant(
    Principal.group_of(AuthProvider.KEYCLOAK_OIDC, "operations"),
    ClusterMemberRole.MEMBER,
)

web = HarvesterLoadBalancer(
    shop.chart,
    "web",
    ipam=Ipam.pool(),
    ports=[LoadBalancerPort(name="http", port=80)],
    selector={"app": "web"},
)
web.add_port(name="https", port=443, target_port=8443)

bastion = VirtualMachine(
    dc1,
    "bastion",
    namespace=vms,
    cpus=2,
    memory=Size.gibibytes(4),
    disks=[Disk.image(image, Size.gibibytes(20))],
    networks=[network],
    cloud_init=CloudInit.of(packages=["tmux"], guest_agent=GuestAgent.install()),
)
bastion.add_disk(Disk.empty(Size.gibibytes(100)))

account = ServiceAccountKubeconfig(dc1, "pipeline", namespace=vms)
account.grant(AccountRole.vm_creator(), vms)

token = LateValue(
    rancher,
    "mirror-token",
    description="token of the mirror",
    source=LateSource.secret_key(
        "token",
        target=rancher,
        api_version="v1",
        kind="Secret",
        namespace="mirror",
        name="pull",
    ),
    sensitive=True,
)
password = SecretValue.unsafe_plain_text("a-password-for-examples")
KubernetesObject(
    rancher,
    "mirror",
    api_version="v1",
    kind="Secret",
    metadata=ApiObjectMetadata(name="mirror", namespace="delivery"),
    fields={
        "stringData": {
            "url": f"https://mirror.example.com/?token={token.token}",
            "login": f"shop:{password.token}",
        },
    },
)

app.synth()
