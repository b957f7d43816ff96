import dev.cdk8s_harvester.AccountRole;
import dev.cdk8s_harvester.AuthProvider;
import dev.cdk8s_harvester.CloudInit;
import dev.cdk8s_harvester.CloudInitProps;
import dev.cdk8s_harvester.ClusterMemberRole;
import dev.cdk8s_harvester.ClusterNetwork;
import dev.cdk8s_harvester.Cpu;
import dev.cdk8s_harvester.Disk;
import dev.cdk8s_harvester.DownloadedImageProps;
import dev.cdk8s_harvester.GuestAgent;
import dev.cdk8s_harvester.GuestCluster;
import dev.cdk8s_harvester.HarvesterApp;
import dev.cdk8s_harvester.HarvesterChart;
import dev.cdk8s_harvester.HarvesterImport;
import dev.cdk8s_harvester.HarvesterLoadBalancer;
import dev.cdk8s_harvester.INamespace;
import dev.cdk8s_harvester.IpPool;
import dev.cdk8s_harvester.IpPoolRange;
import dev.cdk8s_harvester.IpPoolScope;
import dev.cdk8s_harvester.Ipam;
import dev.cdk8s_harvester.Kubernetes;
import dev.cdk8s_harvester.KubernetesObject;
import dev.cdk8s_harvester.LateObject;
import dev.cdk8s_harvester.LateSource;
import dev.cdk8s_harvester.LateValue;
import dev.cdk8s_harvester.LoadBalancerPort;
import dev.cdk8s_harvester.MachinePool;
import dev.cdk8s_harvester.MachineRoles;
import dev.cdk8s_harvester.Principal;
import dev.cdk8s_harvester.ProjectMember;
import dev.cdk8s_harvester.Quota;
import dev.cdk8s_harvester.RancherChart;
import dev.cdk8s_harvester.SecretDelivery;
import dev.cdk8s_harvester.SecretValue;
import dev.cdk8s_harvester.ServiceAccountKubeconfig;
import dev.cdk8s_harvester.TenantNamespaceOptions;
import dev.cdk8s_harvester.TenantProject;
import dev.cdk8s_harvester.TokenSource;
import dev.cdk8s_harvester.VirtualMachine;
import dev.cdk8s_harvester.VmImage;
import dev.cdk8s_harvester.VmNetwork;
import dev.cdk8s_harvester.auth.OidcAuthConfig;
import dev.cdk8s_harvester.settings.HarvesterSetting;
import dev.cdk8s_harvester.settings.OvercommitProps;
import java.util.List;
import java.util.Map;
import org.cdk8s.ApiObjectMetadata;
import org.cdk8s.Size;

public class Main {
  public static void main(String[] args) {
    HarvesterApp app = HarvesterApp.Builder.create().secrets(SecretDelivery.plainText()).build();
    RancherChart rancher = RancherChart.Builder.create(app, "rancher")
        .version("2.13.8")
        .serverUrl("https://rancher.example.com")
        .build();
    HarvesterChart dc1 = HarvesterChart.Builder.create(app, "dc1")
        .version("1.7.2")
        .vip("10.10.0.10")
        .build();

    OidcAuthConfig sso = OidcAuthConfig.Builder.create(rancher, "sso")
        .provider(AuthProvider.KEYCLOAK_OIDC)
        .clientId("rancher")
        .clientSecret(SecretValue.unsafePlainText("a-client-secret-for-examples"))
        .issuer("https://sso.example.com/realms/platform")
        .build();
    Principal team = sso.group("shop");
    sso.grant(team);

    HarvesterImport harvester = HarvesterImport.Builder.create(rancher, "import-dc1")
        .harvester(dc1)
        .registrationToken(TokenSource.value(SecretValue.unsafePlainText(
            "a-registration-token-for-examples"
        )))
        .build();
    HarvesterSetting.ntpServers(dc1, "ntp", List.of("0.pool.ntp.org", "1.pool.ntp.org"));
    HarvesterSetting.overcommitConfig(
        dc1,
        "overcommit",
        OvercommitProps.builder().cpuPercent(800).memoryPercent(120).storagePercent(150).build()
    );

    TenantProject project = TenantProject.Builder.create(rancher, "shop-project")
        .cluster(harvester)
        .quota(Quota.builder().limitsCpu(Cpu.units(128)).limitsMemory(Size.gibibytes(512)).build())
        .members(List.of(ProjectMember.owner(team)))
        .build();
    INamespace vms = project.addNamespace(
        "shop-vms",
        TenantNamespaceOptions.builder()
            .quota(
                Quota.builder().limitsCpu(Cpu.units(96)).limitsMemory(Size.gibibytes(384)).build()
            )
            .build()
    );

    VmImage image = VmImage.download(
        dc1,
        "noble",
        DownloadedImageProps.builder()
            .url("https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img")
            .build()
    );
    VmNetwork network = VmNetwork.Builder.create(dc1, "prod")
        .clusterNetwork(ClusterNetwork.mgmt(dc1))
        .vlan(100)
        .build();
    IpPool addresses = IpPool.Builder.create(dc1, "shop")
        .network(network)
        .ranges(List.of(
            IpPoolRange.builder()
                .subnet("10.20.0.0/24")
                .start("10.20.0.100")
                .end("10.20.0.119")
                .build()
        ))
        .build();
    addresses.addRange(
        IpPoolRange.builder().subnet("10.20.1.0/24").start("10.20.1.100").end("10.20.1.119").build()
    );

    GuestCluster shop = GuestCluster.Builder.create(rancher, "shop")
        .harvesterImport(harvester)
        .vmNamespace(vms)
        .kubernetes(Kubernetes.rke2("v1.34.6+rke2r1"))
        .pools(List.of(
            MachinePool.builder()
                .name("control")
                .quantity(3)
                .roles(MachineRoles.CONTROL_PLANE_ETCD)
                .cpus(4)
                .memory(Size.gibibytes(8))
                .disks(List.of(Disk.image(image, Size.gibibytes(40))))
                .networks(List.of(network))
                .sshUser("ubuntu")
                .build()
        ))
        .build();
    shop.addPool(
        MachinePool.builder()
            .name("workers")
            .quantity(4)
            .roles(MachineRoles.WORKER)
            .cpus(8)
            .memory(Size.gibibytes(32))
            .disks(List.of(Disk.image(image, Size.gibibytes(80))))
            .networks(List.of(network))
            .sshUser("ubuntu")
            .nodeLabels(Map.of("tier", "shop"))
            .build()
    );
    addresses.addScope(IpPoolScope.guestCluster(shop));
    shop.grant(
        Principal.groupOf(AuthProvider.KEYCLOAK_OIDC, "operations"),
        ClusterMemberRole.MEMBER
    );

    HarvesterLoadBalancer web = HarvesterLoadBalancer.Builder.create(shop.getChart(), "web")
        .ipam(Ipam.pool())
        .ports(List.of(LoadBalancerPort.builder().name("http").port(80).build()))
        .selector(Map.of("app", "web"))
        .build();
    web.addPort(LoadBalancerPort.builder().name("https").port(443).targetPort(8443).build());

    VirtualMachine bastion = VirtualMachine.Builder.create(dc1, "bastion")
        .namespace(vms)
        .cpus(2)
        .memory(Size.gibibytes(4))
        .disks(List.of(Disk.image(image, Size.gibibytes(20))))
        .networks(List.of(network))
        .cloudInit(CloudInit.of(
            CloudInitProps.builder()
                .packages(List.of("tmux"))
                .guestAgent(GuestAgent.install())
                .build()
        ))
        .build();
    bastion.addDisk(Disk.empty(Size.gibibytes(100)));

    ServiceAccountKubeconfig account = ServiceAccountKubeconfig.Builder.create(dc1, "pipeline")
        .namespace(vms)
        .build();
    account.grant(AccountRole.vmCreator(), vms);

    LateValue token = LateValue.Builder.create(rancher, "mirror-token")
        .description("token of the mirror")
        .source(LateSource.secretKey(
            "token",
            LateObject.builder()
                .target(rancher)
                .apiVersion("v1")
                .kind("Secret")
                .namespace("mirror")
                .name("pull")
                .build()
        ))
        .sensitive(true)
        .build();
    SecretValue password = SecretValue.unsafePlainText("a-password-for-examples");
    KubernetesObject.Builder.create(rancher, "mirror")
        .apiVersion("v1")
        .kind("Secret")
        .metadata(ApiObjectMetadata.builder().name("mirror").namespace("delivery").build())
        .fields(Map.of("stringData", Map.of(
            "url", "https://mirror.example.com/?token=" + token.getToken(),
            "login", "shop:" + password.getToken()
        )))
        .build();

    app.synth();
  }
}
