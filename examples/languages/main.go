package main

import (
	"github.com/aws/jsii-runtime-go"
	"github.com/cdk8s-harvester/cdk8s-harvester-go/cdk8sharvester"
	"github.com/cdk8s-harvester/cdk8s-harvester-go/cdk8sharvester/auth"
	"github.com/cdk8s-harvester/cdk8s-harvester-go/cdk8sharvester/settings"
	"github.com/cdk8s-team/cdk8s-core-go/cdk8s/v2"
)

func main() {
	app := cdk8sharvester.NewHarvesterApp(&cdk8sharvester.HarvesterAppProps{
		Secrets: cdk8sharvester.SecretDelivery_PlainText(),
	})
	rancher := cdk8sharvester.NewRancherChart(app, jsii.String("rancher"), &cdk8sharvester.RancherChartProps{
		Version:   jsii.String("2.13.8"),
		ServerUrl: jsii.String("https://rancher.example.com"),
	})
	dc1 := cdk8sharvester.NewHarvesterChart(app, jsii.String("dc1"), &cdk8sharvester.HarvesterChartProps{
		Version: jsii.String("1.7.2"),
		Vip:     jsii.String("10.10.0.10"),
	})

	sso := auth.NewOidcAuthConfig(rancher, jsii.String("sso"), &auth.OidcAuthConfigProps{
		Provider:     cdk8sharvester.AuthProvider_KEYCLOAK_OIDC,
		ClientId:     jsii.String("rancher"),
		ClientSecret: cdk8sharvester.SecretValue_UnsafePlainText(jsii.String("a-client-secret-for-examples")),
		Issuer:       jsii.String("https://sso.example.com/realms/platform"),
	})
	team := sso.Group(jsii.String("shop"), nil)
	sso.Grant(team)

	harvester := cdk8sharvester.NewHarvesterImport(
		rancher,
		jsii.String("import-dc1"),
		&cdk8sharvester.HarvesterImportProps{
			Harvester: dc1,
			RegistrationToken: cdk8sharvester.TokenSource_Value(
				cdk8sharvester.SecretValue_UnsafePlainText(jsii.String("a-registration-token-for-examples")),
				nil,
			),
		},
	)
	settings.HarvesterSetting_NtpServers(dc1, jsii.String("ntp"), jsii.Strings(
		"0.pool.ntp.org",
		"1.pool.ntp.org",
	))
	settings.HarvesterSetting_OvercommitConfig(dc1, jsii.String("overcommit"), &settings.OvercommitProps{
		CpuPercent:     jsii.Number(800),
		MemoryPercent:  jsii.Number(120),
		StoragePercent: jsii.Number(150),
	})

	project := cdk8sharvester.NewTenantProject(
		rancher,
		jsii.String("shop-project"),
		&cdk8sharvester.TenantProjectProps{
			Cluster: harvester,
			Quota: &cdk8sharvester.Quota{
				LimitsCpu:    cdk8sharvester.Cpu_Units(jsii.Number(128)),
				LimitsMemory: cdk8s.Size_Gibibytes(jsii.Number(512)),
			},
			Members: &[]cdk8sharvester.ProjectMember{cdk8sharvester.ProjectMember_Owner(team, nil)},
		},
	)
	vms := project.AddNamespace(jsii.String("shop-vms"), &cdk8sharvester.TenantNamespaceOptions{
		Quota: &cdk8sharvester.Quota{
			LimitsCpu:    cdk8sharvester.Cpu_Units(jsii.Number(96)),
			LimitsMemory: cdk8s.Size_Gibibytes(jsii.Number(384)),
		},
	})

	image := cdk8sharvester.VmImage_Download(dc1, jsii.String("noble"), &cdk8sharvester.DownloadedImageProps{
		Url: jsii.String("https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img"),
	})
	network := cdk8sharvester.NewVmNetwork(dc1, jsii.String("prod"), &cdk8sharvester.VmNetworkProps{
		ClusterNetwork: cdk8sharvester.ClusterNetwork_Mgmt(dc1),
		Vlan:           jsii.Number(100),
	})
	addresses := cdk8sharvester.NewIpPool(dc1, jsii.String("shop"), &cdk8sharvester.IpPoolProps{
		Network: network,
		Ranges: &[]*cdk8sharvester.IpPoolRange{
			{
				Subnet: jsii.String("10.20.0.0/24"),
				Start:  jsii.String("10.20.0.100"),
				End:    jsii.String("10.20.0.119"),
			},
		},
	})
	addresses.AddRange(&cdk8sharvester.IpPoolRange{
		Subnet: jsii.String("10.20.1.0/24"),
		Start:  jsii.String("10.20.1.100"),
		End:    jsii.String("10.20.1.119"),
	})

	shop := cdk8sharvester.NewGuestCluster(rancher, jsii.String("shop"), &cdk8sharvester.GuestClusterProps{
		HarvesterImport: harvester,
		VmNamespace:     vms,
		Kubernetes:      cdk8sharvester.Kubernetes_Rke2(jsii.String("v1.34.6+rke2r1"), nil),
		Pools: &[]*cdk8sharvester.MachinePool{
			{
				Name:     jsii.String("control"),
				Quantity: jsii.Number(3),
				Roles:    cdk8sharvester.MachineRoles_CONTROL_PLANE_ETCD(),
				Cpus:     jsii.Number(4),
				Memory:   cdk8s.Size_Gibibytes(jsii.Number(8)),
				Disks: &[]cdk8sharvester.Disk{
					cdk8sharvester.Disk_Image(image, cdk8s.Size_Gibibytes(jsii.Number(40)), nil),
				},
				Networks: &[]cdk8sharvester.IVmNetwork{network},
				SshUser:  jsii.String("ubuntu"),
			},
		},
	})
	shop.AddPool(&cdk8sharvester.MachinePool{
		Name:     jsii.String("workers"),
		Quantity: jsii.Number(4),
		Roles:    cdk8sharvester.MachineRoles_WORKER(),
		Cpus:     jsii.Number(8),
		Memory:   cdk8s.Size_Gibibytes(jsii.Number(32)),
		Disks: &[]cdk8sharvester.Disk{
			cdk8sharvester.Disk_Image(image, cdk8s.Size_Gibibytes(jsii.Number(80)), nil),
		},
		Networks:   &[]cdk8sharvester.IVmNetwork{network},
		SshUser:    jsii.String("ubuntu"),
		NodeLabels: &map[string]*string{"tier": jsii.String("shop")},
	})
	addresses.AddScope(cdk8sharvester.IpPoolScope_GuestCluster(shop))
	shop.Grant(
		cdk8sharvester.Principal_GroupOf(
			cdk8sharvester.AuthProvider_KEYCLOAK_OIDC,
			jsii.String("operations"),
			nil,
		),
		cdk8sharvester.ClusterMemberRole_MEMBER(),
		nil,
	)

	web := cdk8sharvester.NewHarvesterLoadBalancer(
		shop.Chart(),
		jsii.String("web"),
		&cdk8sharvester.HarvesterLoadBalancerProps{
			Ipam:     cdk8sharvester.Ipam_Pool(nil),
			Ports:    &[]*cdk8sharvester.LoadBalancerPort{{Name: jsii.String("http"), Port: jsii.Number(80)}},
			Selector: &map[string]*string{"app": jsii.String("web")},
		},
	)
	web.AddPort(&cdk8sharvester.LoadBalancerPort{
		Name:       jsii.String("https"),
		Port:       jsii.Number(443),
		TargetPort: jsii.Number(8443),
	})

	bastion := cdk8sharvester.NewVirtualMachine(
		dc1,
		jsii.String("bastion"),
		&cdk8sharvester.VirtualMachineProps{
			Namespace: vms,
			Cpus:      jsii.Number(2),
			Memory:    cdk8s.Size_Gibibytes(jsii.Number(4)),
			Disks: &[]cdk8sharvester.Disk{
				cdk8sharvester.Disk_Image(image, cdk8s.Size_Gibibytes(jsii.Number(20)), nil),
			},
			Networks: &[]cdk8sharvester.IVmNetwork{network},
			CloudInit: cdk8sharvester.CloudInit_Of(&cdk8sharvester.CloudInitProps{
				Packages:   jsii.Strings("tmux"),
				GuestAgent: cdk8sharvester.GuestAgent_Install(nil),
			}),
		},
	)
	bastion.AddDisk(cdk8sharvester.Disk_Empty(cdk8s.Size_Gibibytes(jsii.Number(100)), nil))

	account := cdk8sharvester.NewServiceAccountKubeconfig(
		dc1,
		jsii.String("pipeline"),
		&cdk8sharvester.ServiceAccountKubeconfigProps{Namespace: vms},
	)
	account.Grant(cdk8sharvester.AccountRole_VmCreator(), vms)

	token := cdk8sharvester.NewLateValue(rancher, jsii.String("mirror-token"), &cdk8sharvester.LateValueProps{
		Description: jsii.String("token of the mirror"),
		Source: cdk8sharvester.LateSource_SecretKey(jsii.String("token"), &cdk8sharvester.LateObject{
			Target:     rancher,
			ApiVersion: jsii.String("v1"),
			Kind:       jsii.String("Secret"),
			Namespace:  jsii.String("mirror"),
			Name:       jsii.String("pull"),
		}),
		Sensitive: jsii.Bool(true),
	})
	password := cdk8sharvester.SecretValue_UnsafePlainText(jsii.String("a-password-for-examples"))
	cdk8sharvester.NewKubernetesObject(rancher, jsii.String("mirror"), &cdk8sharvester.KubernetesObjectProps{
		ApiVersion: jsii.String("v1"),
		Kind:       jsii.String("Secret"),
		Metadata:   &cdk8s.ApiObjectMetadata{Name: jsii.String("mirror"), Namespace: jsii.String("delivery")},
		Fields: &map[string]interface{}{
			"stringData": map[string]interface{}{
				"url":   jsii.String("https://mirror.example.com/?token=" + *token.Token()),
				"login": jsii.String("shop:" + *password.Token()),
			},
		},
	})

	app.Synth()
}
