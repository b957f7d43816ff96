import {
  Distribution,
  DistributionVersions,
  KubernetesOptions,
  checkCommon,
  commonConfig,
  commonSelectorConfig,
  definedFields,
  givenChartValues,
} from './kubernetes-config';
import { KubernetesDistribution } from './kubernetes-version';
import { CLOUD_PROVIDER_CONFIG, CLOUD_PROVIDER_NAME } from './rke2.data';
import { Problem } from '../../core/problem/problem';
import { lazily } from '../../core/text/values';
import { freeForm } from '../../core/value/free-form';
import { FeatureGates } from '../../core/version/feature-gates';
import { toYaml } from '../../core/yaml/yaml-writer';
import { CONFIG_KEY, DATA_DIRECTORY, RESTRICTED_TEMPLATE } from '../cluster/cluster.kind';
import { ClusterFields } from '../parts/cluster-parts';
import { GuestGate } from '../version/guest-gates.data';

/** The backend with which Flannel in K3s connects the nodes. */
export enum K3sFlannelBackend {
  /** VXLAN. */
  VXLAN = 'vxlan',
  /** Routes on the hosts, which must be in one network. */
  HOST_GW = 'host-gw',
  /** WireGuard. */
  WIREGUARD_NATIVE = 'wireguard-native',
  /** No Flannel: install another network plugin. */
  NONE = 'none',
}

/** Options of K3s. @see https://docs.k3s.io/cli/server */
export interface K3sOptions extends KubernetesOptions {
  /** The backend with which Flannel connects the nodes. @default - K3s' default, vxlan */
  readonly flannelBackend?: K3sFlannelBackend;
  /** Whether Secrets are encrypted in the datastore. Immutable. @default false */
  readonly secretsEncryption?: boolean;
  /** Whether K3s enforces NetworkPolicies. @default true */
  readonly networkPolicy?: boolean;
  /** Whether nodes share their images. @default - false */
  readonly embeddedRegistry?: boolean;
  /** Whether K3s uses Docker instead of containerd. @default false */
  readonly docker?: boolean;
}

/**
 * The switches that the UI writes for a K3s cluster: all off.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/rke2.vue applyDefaults
 */
const SWITCHES = [
  'disable-apiserver',
  'disable-cloud-controller',
  'disable-controller-manager',
  'disable-etcd',
  CONFIG_KEY.DISABLE_KUBE_PROXY,
  'disable-network-policy',
  'disable-scheduler',
  CONFIG_KEY.ETCD_EXPOSE_METRICS,
  'secrets-encryption',
];
const SELECTOR_SWITCHES = ['docker', CONFIG_KEY.PROTECT_KERNEL_DEFAULTS, CONFIG_KEY.SELINUX];

/** K3s with a user's options. */
function k3sDistribution(options: K3sOptions): Distribution {
  const { flannelBackend, secretsEncryption, networkPolicy, embeddedRegistry } = options;
  const typed = {
    ...commonConfig(options),
    ...definedFields({
      'disable-network-policy': networkPolicy === undefined ? undefined : !networkPolicy,
      'embedded-registry': embeddedRegistry,
      'flannel-backend': flannelBackend,
      'secrets-encryption': secretsEncryption,
    }),
  };
  const selectorConfig = {
    ...commonSelectorConfig(options),
    ...definedFields({ docker: options.docker }),
  };
  return {
    name: KubernetesDistribution.K3S,
    dataDirectory: DATA_DIRECTORY.k3s,
    globalConfig: { ...typed, ...options.config },
    globalDefaults: allOff(SWITCHES),
    selectorConfig,
    selectorDefaults: allOff(SELECTOR_SWITCHES),
    chartValues: givenChartValues(options),
    *check(versions: DistributionVersions): Iterable<Problem> {
      yield* checkCommon(
        KubernetesDistribution.K3S,
        options,
        { ...typed, ...selectorConfig },
        versions,
      );
      for (const key of [CLOUD_PROVIDER_NAME, CLOUD_PROVIDER_CONFIG].filter(
        (name) => name in (options.config ?? {}),
      )) {
        yield {
          path: `kubernetes.config[${key}]`,
          message: 'must be a key of K3s, not of RKE2: Rancher drops it silently',
          fix: 'remove it, and use the prop cloudProvider',
        };
      }
    },
  };
}

function allOff(keys: readonly string[]): ClusterFields {
  return Object.fromEntries(keys.map((key) => [key, false]));
}

/** The network plugins that RKE2 bundles. */
export enum Rke2Cni {
  /** Calico. */
  CALICO = 'calico',
  /** Canal: Flannel with Calico's policies. */
  CANAL = 'canal',
  /** Cilium. */
  CILIUM = 'cilium',
  /** Flannel. */
  FLANNEL = 'flannel',
  /** No network plugin: nodes are NotReady until you install another one. */
  NONE = 'none',
}

/** The ingress controllers that RKE2 bundles. */
export enum Rke2IngressController {
  /** Ingress NGINX, which upstream has retired. */
  INGRESS_NGINX = 'ingress-nginx',
  /** Traefik. */
  TRAEFIK = 'traefik',
  /** None. */
  NONE = 'none',
}

/** A hardening profile of RKE2. @see https://docs.rke2.io/security/hardening_guide */
export class Rke2Profile {
  /** The CIS benchmark of the release: RKE2 1.25.15, 1.26.10, 1.27.7, 1.28.2 and later. */
  public static readonly CIS = new Rke2Profile('cis');
  /** The CIS benchmark 1.23: RKE2 1.25 to 1.29. */
  public static readonly CIS_1_23 = new Rke2Profile('cis-1.23');
  /** The CIS benchmark 1.6: RKE2 1.20 to 1.24. */
  public static readonly CIS_1_6 = new Rke2Profile('cis-1.6');
  /** The CIS benchmark 1.5: RKE2 1.18 to 1.24. */
  public static readonly CIS_1_5 = new Rke2Profile('cis-1.5');
  /**
   * Only the user `etcd` for the files of etcd: RKE2 1.30.14, 1.31.10, 1.32.6, 1.33.2 and later.
   */
  public static readonly ETCD = new Rke2Profile('etcd');

  /**
   * A profile of a later release.
   *
   * @param name as in `rke2 server --profile <name>`
   */
  public static of(name: string): Rke2Profile {
    return new Rke2Profile(name);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The name of the profile. */
    public readonly name: string,
  ) {}
}

/** Options of RKE2. @see https://docs.rke2.io/reference/server_config */
export interface Rke2Options extends KubernetesOptions {
  /** The network plugin. Immutable. @default Rke2Cni.CALICO */
  readonly cni?: Rke2Cni;
  /**
   * Whether Multus runs before the network plugin, for pods with several networks.
   * @default false
   */
  readonly multus?: boolean;
  /**
   * The ingress controllers; the class of the first one is the default. Needs Rancher 2.14 and a
   * release of RKE2 with the Traefik chart. That earlier versions of Rancher pass on the key is
   * unconfirmed: set it in `config` there. Rancher's UI selects Traefik for new clusters.
   * @default - RKE2's default, which depends on its release
   */
  readonly ingressControllers?: Rke2IngressController[];
  /**
   * The hardening profile. It sets protectKernelDefaults to true and the pod security template to
   * `rancher-restricted` by default, as Rancher's UI does. The image of the machines needs the user
   * `etcd` and the kernel parameters.
   * @default - none
   */
  readonly profile?: Rke2Profile;
  /** The audit policy of the API server: an object of kind Policy. @default - RKE2's default */
  readonly auditPolicy?: any;
}

/** RKE2 with a user's options. */
function rke2Distribution(options: Rke2Options): Distribution {
  const { cni, multus, ingressControllers, profile, auditPolicy } = options;
  const typed = {
    ...commonConfig(options),
    ...definedFields({
      [CONFIG_KEY.AUDIT_POLICY]: auditPolicyText(auditPolicy),
      [CONFIG_KEY.CNI]: multus ? `multus,${cni ?? Rke2Cni.CALICO}` : cni,
      [CONFIG_KEY.INGRESS_CONTROLLER]:
        ingressControllers?.length === 1 ? ingressControllers[0] : ingressControllers,
      [CONFIG_KEY.PROFILE]: profile?.name,
    }),
  };
  const selectorConfig = commonSelectorConfig(options);
  return {
    name: KubernetesDistribution.RKE2,
    dataDirectory: DATA_DIRECTORY.rke2,
    globalConfig: { ...typed, ...options.config },
    globalDefaults: {
      [CONFIG_KEY.CNI]: Rke2Cni.CALICO,
      [CONFIG_KEY.DISABLE_KUBE_PROXY]: false,
      [CONFIG_KEY.ETCD_EXPOSE_METRICS]: false,
    },
    selectorConfig,
    selectorDefaults: { [CONFIG_KEY.PROTECT_KERNEL_DEFAULTS]: options.profile !== undefined },
    chartValues: givenChartValues(options),
    podSecurityTemplate: options.profile === undefined ? undefined : RESTRICTED_TEMPLATE,
    *check(versions: DistributionVersions): Iterable<Problem> {
      yield* checkCommon(
        KubernetesDistribution.RKE2,
        options,
        { ...typed, ...selectorConfig },
        versions,
      );
      yield* checkIngress(options, versions);
      yield* freeForm('kubernetes.auditPolicy', options.auditPolicy).problems;
      if (options.multus && options.cni === Rke2Cni.NONE) {
        yield {
          path: 'kubernetes.multus',
          message: 'must be used together with another network plugin',
          fix: 'set cni, or install Multus with your own network plugin',
        };
      }
    },
  };
}

// what is wrong with it is left to the check
function auditPolicyText(auditPolicy: unknown): string | undefined {
  if (auditPolicy === undefined) {
    return undefined;
  }
  const { value, problems } = freeForm('', auditPolicy);
  return problems.length > 0 ? undefined : toYaml(value);
}

function* checkIngress(
  { ingressControllers = [] }: Rke2Options,
  { rancher }: DistributionVersions,
): Iterable<Problem> {
  const path = 'kubernetes.ingressControllers';
  if (ingressControllers.length > 0) {
    const fix = `remove it, or set "${CONFIG_KEY.INGRESS_CONTROLLER}" in config if your release supports it`;
    yield* FeatureGates.of(GuestGate.INGRESS_CONTROLLER_KEY)._check(path, rancher, fix);
  }
  if (ingressControllers.length > 1 && ingressControllers.includes(Rke2IngressController.NONE)) {
    yield {
      path,
      value: ingressControllers,
      message: 'cannot contain NONE together with another ingress controller',
      fix: 'remove one of the two',
    };
  }
}

const plainRke2 = lazily(() => rke2Distribution({}));
const plainK3s = lazily(() => k3sDistribution({}));

/**
 * The Kubernetes of a guest cluster: a distribution, its release and its options.
 *
 * Options become `machineGlobalConfig` and `chartValues` of the provisioning Cluster. Changes are
 * rolled out node by node and do not replace virtual machines.
 *
 * @see https://docs.rke2.io/reference/server_config
 * @see https://docs.k3s.io/cli/server
 */
export class Kubernetes {
  /**
   * RKE2.
   *
   * @param version a release with its distribution, e.g. `v1.33.6+rke2r1`
   */
  public static rke2(version: string, options?: Rke2Options): Kubernetes {
    return new Kubernetes(version, options ? rke2Distribution(options) : plainRke2());
  }

  /**
   * K3s.
   *
   * @param version a release with its distribution, e.g. `v1.33.6+k3s1`
   */
  public static k3s(version: string, options?: K3sOptions): Kubernetes {
    return new Kubernetes(version, options ? k3sDistribution(options) : plainK3s());
  }

  declare private readonly nominal: true;

  private constructor(
    /** The release, as given. */
    public readonly version: string,
    /** @internal */
    public readonly _distribution: Distribution,
  ) {}
}
