import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { checkAddon } from './addon.check';
import { BUNDLED_ADDONS, BundledAddonEntry, LABEL_EXPERIMENTAL, bundledAddon } from './addon.kind';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { fail, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { toYaml } from '../../core/yaml/yaml-writer';
import { asProps, objectName, objectNamespace } from '../object-name';
import { HarvesterVersion } from '../version/harvester-version';

/**
 * Properties of an add-on.
 */
export interface AddonProps {
  /** The Helm repository of the chart. */
  readonly repo: string;
  /** The name of the chart. Create-only, and one add-on a chart. */
  readonly chart: string;
  /** The version of the chart. */
  readonly version: string;
  /** Whether it is enabled, i.e. installed. @default true */
  readonly enabled?: boolean;
  /** The values of the chart. @default - those of the chart */
  readonly values?: { readonly [key: string]: any };
  /** The name of the Addon. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace, which the chart is installed to. @default - `default` */
  readonly namespace?: INamespace;
  /** Whether the UI marks it as experimental. @default false */
  readonly experimental?: boolean;
  /** Further labels. @default - only those of Harvester */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * An add-on of a Harvester that does not come with it: a Helm chart that is installed while the add-on is enabled. For those that come with it
 * see `BundledAddon`.
 *
 * @see https://docs.harvesterhci.io/latest/developer/Add-on-development-guide
 */
export class Addon extends Construct {
  /** The name of the Addon. */
  public readonly addonName: string;
  /** Its namespace. */
  public readonly namespace: string;
  /** The Harvester that it is on. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: AddonProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'Addon');
    this.addonName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    if (bundledAddon(this.addonName, this.namespace)) {
      fail(this, [{ path: 'name', value: this.addonName, message: 'comes with Harvester, which keeps its chart', fix: 'use BundledAddon' }]);
    }
    const { repo, chart, version } = props;
    const readsGlobal = FeatureGates.of(GateId.VCLUSTER_GLOBAL_HOSTNAME).supports(HarvesterVersion.parse(this.harvester.version));
    const empty = Object.entries({ repo, chart, version }).filter(([, value]) => value === '');
    const metadata = {
      name: this.addonName, namespace: this.namespace, labels: props.experimental ? { ...props.labels, [LABEL_EXPERIMENTAL]: 'true' } : props.labels,
    };
    const spec = { repo, chart, version, enabled: props.enabled ?? true, valuesContent: props.values ? toYaml(props.values) : '' };
    failOnErrors(this, [
      ...empty.map(([path]) => ({ path, message: 'is empty', fix: 'give repo, chart and version' })),
      ...asProps(checkAddon({ apiVersion: API_VERSIONS.HARVESTER, kind: 'Addon', metadata, spec }, false, readsGlobal)),
    ]);
    const addon = new ApiObject(this, 'Resource', { apiVersion: API_VERSIONS.HARVESTER, kind: 'Addon', metadata, spec });
    note(addon, {
      deletion: { policy: 'delete', reason: 'uninstalls the chart' },
      othersWrite: ['metadata.annotations', 'metadata.finalizers', 'status'],
    });
  }
}

/**
 * What of a bundled add-on is set.
 */
export interface BundledAddonOptions {
  /** Whether it is enabled, i.e. installed. @default true */
  readonly enabled?: boolean;
  /**
   * The values of its chart, all of them: they replace those that Harvester set.
   * @default - what stands there
   */
  readonly values?: { readonly [key: string]: any };
}

/**
 * Properties of a bundled add-on.
 */
export interface BundledAddonProps extends BundledAddonOptions {
  /** The name of the Addon, e.g. `rancher-monitoring`, `harvester-seeder`, `descheduler`. */
  readonly name: string;
}

/**
 * An add-on that Harvester brings along. It is on every Harvester of its versions, disabled.
 *
 * Nothing is written but whether it is enabled and, if given, its values: the version of its chart is Harvester's own, also in upgrades. So the
 * manifest is a part of an object, which the server completes by the one that is there. Taking the construct away changes nothing there: disable
 * it first.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/addons
 */
export class BundledAddon extends Construct {
  /** Monitoring: `rancher-monitoring`. */
  public static monitoring(scope: Construct, id: string, options: BundledAddonOptions = {}): BundledAddon {
    return new BundledAddon(scope, id, { name: 'rancher-monitoring', ...options });
  }

  /** Logging: `rancher-logging`. */
  public static logging(scope: Construct, id: string, options: BundledAddonOptions = {}): BundledAddon {
    return new BundledAddon(scope, id, { name: 'rancher-logging', ...options });
  }

  /** PCI, GPU and SR-IOV devices: `pcidevices-controller`. */
  public static pciDevices(scope: Construct, id: string, options: BundledAddonOptions = {}): BundledAddon {
    return new BundledAddon(scope, id, { name: 'pcidevices-controller', ...options });
  }

  /** Import of virtual machines: `vm-import-controller`. */
  public static vmImport(scope: Construct, id: string, options: BundledAddonOptions = {}): BundledAddon {
    return new BundledAddon(scope, id, { name: 'vm-import-controller', ...options });
  }

  /** Overlay networks: `kubeovn-operator`. Harvester 1.6.0 and later. */
  public static kubeOvn(scope: Construct, id: string, options: BundledAddonOptions = {}): BundledAddon {
    return new BundledAddon(scope, id, { name: 'kubeovn-operator', ...options });
  }

  /** Drivers of NVIDIA's virtual GPUs: `nvidia-driver-toolkit`. Its value `driverLocation` must name where the driver is. Harvester 1.3.0 and later. */
  public static nvidiaDriver(scope: Construct, id: string, options: BundledAddonOptions = {}): BundledAddon {
    return new BundledAddon(scope, id, { name: 'nvidia-driver-toolkit', ...options });
  }

  /** The name of the Addon. */
  public readonly addonName: string;
  /** Its namespace. */
  public readonly namespace: string;
  /** The Harvester that it is on. */
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: BundledAddonProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'BundledAddon');
    const known = knownAddon(this, props.name, this.harvester.version);
    this.addonName = known.name;
    this.namespace = known.namespace;
    const addon = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'Addon',
      metadata: { name: known.name, namespace: known.namespace },
      spec: { enabled: props.enabled ?? true, valuesContent: props.values && toYaml(props.values) },
    });
    note(addon, {
      deletion: { policy: 'keep', reason: 'it is Harvester\'s own, and upgrades expect it: set enabled to false in its place' },
      othersWrite: ['spec.repo', 'spec.chart', 'spec.version', 'metadata.labels', 'metadata.annotations', 'metadata.finalizers', 'status'],
    });
  }
}

function knownAddon(construct: Construct, name: string, version: string): BundledAddonEntry {
  const known = BUNDLED_ADDONS.find((addon) => addon.name === name);
  if (!known) {
    return fail(construct, [{
      path: 'name',
      value: name,
      message: 'is no add-on that Harvester brings along, as far as this library knows',
      fix: `use one of ${BUNDLED_ADDONS.map((addon) => addon.name).join(', ')}, or Addon with repo, chart and version`,
    }]);
  }
  if (!HarvesterVersion.parse(version).isAtLeast(known.since)) {
    fail(construct, [{
      path: 'name', value: name, message: `comes with Harvester ${known.since} and later; the chart names ${version}`, fix: 'upgrade Harvester, or use Addon',
    }]);
  }
  return known;
}
