import {
  K3sFlannelBackend,
  K3sOptions,
  Kubernetes,
  Rke2Cni,
  Rke2IngressController,
  Rke2Options,
  Rke2Profile,
} from '../../../src/guest/kubernetes/kubernetes';
import { RKE2, refusal, specOf } from '../cluster/_clusters';

const rke2 = (options: Rke2Options, rancher?: string) =>
  specOf({ kubernetes: Kubernetes.rke2(RKE2, options) }, rancher);
const k3s = (options: K3sOptions) =>
  specOf({ kubernetes: Kubernetes.k3s('v1.33.6+k3s1', options) });
const refusedRke2 = (options: Rke2Options, rancher?: string) =>
  refusal({ kubernetes: Kubernetes.rke2(RKE2, options) }, rancher);

describe('RKE2', () => {
  test("is written as Rancher's UI does where nothing is asked for", () => {
    const { kubernetesVersion, rkeConfig } = rke2({});
    expect(kubernetesVersion).toBe('v1.33.6+rke2r1');
    expect(rkeConfig.machineGlobalConfig).toEqual({
      'cni': 'calico',
      'disable-kube-proxy': false,
      'etcd-expose-metrics': false,
    });
    expect(rkeConfig.machineSelectorConfig).toEqual([
      { config: { 'protect-kernel-defaults': false } },
    ]);
  });

  test('has an option for each key that is often needed', () => {
    const { rkeConfig } = rke2(
      {
        cni: Rke2Cni.CANAL,
        multus: true,
        ingressControllers: [Rke2IngressController.TRAEFIK, Rke2IngressController.INGRESS_NGINX],
        auditPolicy: {
          apiVersion: 'audit.k8s.io/v1',
          kind: 'Policy',
          rules: [{ level: 'Metadata' }],
        },
        tlsSans: ['api.example.com'],
        clusterCidrs: ['10.44.0.0/16', 'fd00:44::/56'],
        serviceCidrs: ['10.45.0.0/16'],
        clusterDns: '10.45.0.10',
        clusterDomain: 'shop.local',
        disabledComponents: ['rke2-metrics-server'],
        kubeProxy: false,
        etcdExposeMetrics: true,
        systemDefaultRegistry: 'registry.example.com',
        selinux: true,
        kubeletArgs: ['max-pods=200'],
        apiServerArgs: ['event-ttl=2h'],
        controllerManagerArgs: ['a=b'],
        schedulerArgs: ['c=d'],
        kubeProxyArgs: ['e=f'],
        etcdArgs: ['quota-backend-bytes=8589934592'],
        config: { debug: true },
      },
      '2.14.1',
    );
    expect(rkeConfig.machineGlobalConfig).toEqual({
      'audit-policy-file':
        'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n  - level: Metadata\n',
      'cluster-cidr': '10.44.0.0/16,fd00:44::/56',
      'cluster-dns': '10.45.0.10',
      'cluster-domain': 'shop.local',
      'cni': 'multus,canal',
      'debug': true,
      'disable': ['rke2-metrics-server'],
      'disable-kube-proxy': true,
      'etcd-arg': ['quota-backend-bytes=8589934592'],
      'etcd-expose-metrics': true,
      'ingress-controller': ['traefik', 'ingress-nginx'],
      'kube-apiserver-arg': ['event-ttl=2h'],
      'kube-controller-manager-arg': ['a=b'],
      'kube-proxy-arg': ['e=f'],
      'kube-scheduler-arg': ['c=d'],
      'kubelet-arg': ['max-pods=200'],
      'service-cidr': '10.45.0.0/16',
      'system-default-registry': 'registry.example.com',
      'tls-san': ['api.example.com'],
    });
    expect(rkeConfig.machineSelectorConfig).toEqual([
      { config: { 'protect-kernel-defaults': false, 'selinux': true } },
    ]);
  });

  test('one ingress controller is text, Multus alone runs before Calico', () => {
    const { rkeConfig } = rke2(
      { ingressControllers: [Rke2IngressController.TRAEFIK], multus: true },
      '2.14.0',
    );
    expect(rkeConfig.machineGlobalConfig).toMatchObject({
      'ingress-controller': 'traefik',
      'cni': 'multus,calico',
    });
  });

  test("a CIS profile protects the kernel's defaults and asks for the restricted template", () => {
    const { rkeConfig, ...spec } = rke2({ profile: Rke2Profile.CIS });
    expect(rkeConfig.machineGlobalConfig).toMatchObject({ profile: 'cis' });
    expect(rkeConfig.machineSelectorConfig).toEqual([
      { config: { 'protect-kernel-defaults': true } },
    ]);
    expect(spec.defaultPodSecurityAdmissionConfigurationTemplateName).toBe('rancher-restricted');
  });

  test('a value of the user for the kernel defaults overrides that of the profile etcd', () => {
    expect(
      rke2({ profile: Rke2Profile.ETCD, protectKernelDefaults: false }).rkeConfig
        .machineSelectorConfig,
    ).toEqual([{ config: { 'protect-kernel-defaults': false } }]);
  });

  test('values of bundled charts stand by their chart', () => {
    expect(
      rke2({ chartValues: { 'rke2-calico': { installation: { calicoNetwork: { mtu: 1400 } } } } })
        .rkeConfig.chartValues,
    ).toEqual({ 'rke2-calico': { installation: { calicoNetwork: { mtu: 1400 } } } });
  });

  test('the key of the ingress controllers needs Rancher 2.14, or the escape', () => {
    expect(refusedRke2({ ingressControllers: [Rke2IngressController.NONE] }, '2.13.8')).toBe(
      '[rancher/shop] kubernetes.ingressControllers: the key ingress-controller as the dashboard writes it needs Rancher 2.14.0 or later, got ' +
        '2.13.8. Fix: remove it, or set "ingress-controller" in config if your release supports it',
    );
    expect(
      rke2({ config: { 'ingress-controller': 'traefik' } }, '2.13.8').rkeConfig.machineGlobalConfig[
        'ingress-controller'
      ],
    ).toBe('traefik');
  });

  test('refuses NONE next to another ingress controller, and Multus without a network plugin', () => {
    const message = refusedRke2(
      {
        ingressControllers: [Rke2IngressController.NONE, Rke2IngressController.TRAEFIK],
        cni: Rke2Cni.NONE,
        multus: true,
      },
      '2.14.0',
    );
    expect(message.split('\n')).toEqual([
      '[rancher/shop] kubernetes.ingressControllers: cannot contain NONE together with another ingress controller, got ["none","traefik"]. Fix: remove one of the two',
      '[rancher/shop] kubernetes.multus: must be used together with another network plugin. Fix: set cni, or install Multus with your own network plugin',
    ]);
  });
});

describe('K3s', () => {
  test("is written as Rancher's UI does where nothing is asked for", () => {
    const { rkeConfig } = k3s({});
    expect(rkeConfig.machineGlobalConfig).toEqual({
      'disable-apiserver': false,
      'disable-cloud-controller': false,
      'disable-controller-manager': false,
      'disable-etcd': false,
      'disable-kube-proxy': false,
      'disable-network-policy': false,
      'disable-scheduler': false,
      'etcd-expose-metrics': false,
      'secrets-encryption': false,
    });
    expect(rkeConfig.machineSelectorConfig).toEqual([
      { config: { 'docker': false, 'protect-kernel-defaults': false, 'selinux': false } },
    ]);
  });

  test('has options of its own', () => {
    const { rkeConfig } = k3s({
      flannelBackend: K3sFlannelBackend.WIREGUARD_NATIVE,
      secretsEncryption: true,
      networkPolicy: false,
      embeddedRegistry: true,
      docker: true,
      disabledComponents: ['traefik'],
    });
    expect(rkeConfig.machineGlobalConfig).toMatchObject({
      'flannel-backend': 'wireguard-native',
      'secrets-encryption': true,
      'disable-network-policy': true,
      'embedded-registry': true,
      'disable': ['traefik'],
    });
    expect(rkeConfig.machineSelectorConfig[0].config.docker).toBe(true);
  });

  test.each(['cloud-provider-name', 'cloud-provider-config'])(
    "%s is RKE2's, and refused",
    (key) => {
      expect(
        refusal({ kubernetes: Kubernetes.k3s('v1.33.6+k3s1', { config: { [key]: 'harvester' } }) }),
      ).toBe(
        `[rancher/shop] kubernetes.config[${key}]: must be a key of K3s, not of RKE2: Rancher drops it silently. Fix: ` +
          'remove it, and use the prop cloudProvider',
      );
    },
  );
});

describe('both', () => {
  test('a number, a map and null are refused, since Rancher drops them; the rules judge unknown keys', () => {
    const config = {
      'debug': 1,
      'kubelet-arg': { 'max-pods': 200 },
      'selinux-relabel': true,
      'bind-address': null,
    };
    expect(refusedRke2({ config }).split('\n')).toEqual([
      '[rancher/shop] kubernetes.config[debug]: must be a string, a boolean or a list, got 1: Rancher drops numbers silently. Fix: write it in quotes: "1"',
      '[rancher/shop] kubernetes.config[kubelet-arg]: must be a string, a boolean or a list, got {"max-pods":200}: Rancher drops maps silently. Fix: write a list of "name=value" strings',
      '[rancher/shop] kubernetes.config[bind-address]: must be a string, a boolean or a list: Rancher drops null silently. Fix: remove it',
    ]);
  });

  test('a value in the configuration is not overridden by a default for all machines', () => {
    const { machineGlobalConfig, machineSelectorConfig } = k3s({
      config: { docker: true, selinux: true },
    }).rkeConfig;
    expect(machineGlobalConfig).toMatchObject({ docker: true, selinux: true });
    expect(machineSelectorConfig).toEqual([{ config: { 'protect-kernel-defaults': false } }]);
    expect(rke2({ config: { 'protect-kernel-defaults': true } }).rkeConfig).not.toHaveProperty(
      'machineSelectorConfig',
    );
  });

  test('a key is not given twice', () => {
    expect(
      refusedRke2({
        tlsSans: ['a'],
        selinux: true,
        config: { 'tls-san': ['b'], 'selinux': false },
      }).split('\n'),
    ).toEqual([
      '[rancher/shop] kubernetes.config[tls-san]: cannot be set together with the option for it. Fix: remove one of the two',
      '[rancher/shop] kubernetes.config[selinux]: cannot be set together with the option for it. Fix: remove one of the two',
    ]);
  });

  test('networks are CIDRs, one a family', () => {
    expect(
      refusedRke2({
        clusterCidrs: ['10.42.0.0'],
        serviceCidrs: ['10.43.0.0/16', '10.44.0.0/16'],
      }).split('\n'),
    ).toEqual([
      '[rancher/shop] kubernetes.clusterCidrs[0]: must be a CIDR, got "10.42.0.0". Fix: write a network with a prefix length, e.g. 10.42.0.0/16',
      '[rancher/shop] kubernetes.serviceCidrs: must have at most one network for each IP family, got ["10.43.0.0/16","10.44.0.0/16"]. Fix: ' +
        'use one IPv4 network, one IPv6 network, or one of each',
    ]);
  });

  test('a release belongs to its distribution', () => {
    expect(refusal({ kubernetes: Kubernetes.rke2('v1.33.6+k3s1') })).toBe(
      '[rancher/shop] kubernetes.version: must be a release of rke2, got "v1.33.6+k3s1". Fix: use a release such as v1.33.6+rke2r1, or use Kubernetes.k3s',
    );
    expect(refusal({ kubernetes: Kubernetes.k3s('v1.33.6') })).toBe(
      '[rancher/shop] kubernetes.version: must be a release of k3s, got "v1.33.6". Fix: use a release such as v1.33.6+k3s1',
    );
    expect(refusal({ kubernetes: Kubernetes.k3s('latest') })).toMatch(
      /^\[rancher\/shop\] kubernetes\.version: /,
    );
  });

  test('the version is written with its v', () => {
    expect(specOf({ kubernetes: Kubernetes.rke2('1.33.6+rke2r1') }).kubernetesVersion).toBe(
      'v1.33.6+rke2r1',
    );
  });
});

describe('values of bundled charts', () => {
  test.each<[string, unknown, string]>([
    ['text', 'a: b', 'text'],
    ['a list', ['a'], 'a list'],
    ['null', null, 'null'],
    ['a number', 1, 'a number'],
    ['a date', new Date(0), 'an instance of Date'],
  ])('cannot be %s', (_, values, got) => {
    expect(refusedRke2({ chartValues: { 'rke2-cilium': values } })).toContain(
      `kubernetes.chartValues[rke2-cilium]: must be an object, got ${got}. Fix: set the values of the chart by key, or leave it out`,
    );
    expect(
      refusal({ kubernetes: Kubernetes.k3s('v1.33.6+k3s1', { chartValues: { traefik: values } }) }),
    ).toContain('kubernetes.chartValues[traefik]: must be an object');
  });

  test('are left out where they are undefined', () => {
    const { chartValues } = rke2({
      chartValues: { 'rke2-cilium': undefined, 'rke2-calico': { a: 1 } },
    }).rkeConfig;
    expect(chartValues['rke2-calico']).toEqual({ a: 1 });
    expect(chartValues).not.toHaveProperty('rke2-cilium');
  });
});
