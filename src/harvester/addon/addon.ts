import { Construct, IConstruct } from 'constructs';
import { checkAddon } from './addon.check';
import { BUNDLED_ADDONS, BundledAddonEntry, LABEL_EXPERIMENTAL, bundledAddon } from './addon.kind';
import { ExistingNamespacedResourceOptions, ResourceOptions } from '../../core/app/resource';
import { API_VERSIONS } from '../../core/manifest/names';
import { asProps, collectProblems, fail, failOnErrors } from '../../core/problem/problem';
import { ChartValues } from '../../core/value/chart-values';
import { freeForm } from '../../core/value/free-form';
import { FeatureGates } from '../../core/version/feature-gates';
import { toYaml } from '../../core/yaml/yaml-writer';
import {
  ExistingNamespacedHarvesterResource,
  HarvesterResource,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';

const KIND = { apiVersion: API_VERSIONS.HARVESTER, kind: 'Addon' };

/** The props that set fields of other names. */
const PROPS = { 'spec.repo': 'repository', 'spec.valuesContent': 'values' };

/** An add-on of a Harvester: declared by the program, or existing. */
export interface IAddon extends INamespacedHarvesterResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly addonId: string;
}

/** Properties of an add-on. */
export interface AddonProps extends NamespacedHarvesterResourceProps {
  /** The URL of the Helm repository of the chart. */
  readonly repository: string;
  /** The name of the chart. Immutable, and unique among add-ons. */
  readonly chart: string;
  /** The version of the chart. */
  readonly version: string;
  /** Whether the add-on is enabled, i.e. installed. @default true */
  readonly enabled?: boolean;
  /** The values of the chart. @default - the defaults of the chart */
  readonly values?: { readonly [key: string]: any };
  /** Whether the UI marks it as experimental. @default false */
  readonly experimental?: boolean;
}

/**
 * The Addon of a Harvester: a Helm chart that is installed while the add-on is enabled. For add-ons
 * that Harvester includes, see `BundledAddon`.
 *
 * @see https://docs.harvesterhci.io/latest/developer/Add-on-development-guide
 * @example
 * new Addon(dc1, 'harvester-csi-driver-lvm', {
 *   repository: 'https://charts.harvesterhci.io',
 *   chart: 'harvester-csi-driver-lvm',
 *   version: '0.2.3',
 *   namespace: HarvesterNamespace.fromName(dc1, 'system', { name: 'harvester-system' }),
 * });
 */
export class Addon extends NamespacedHarvesterResource implements IAddon {
  /** A reference to an existing add-on. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IAddon {
    return new ExistingAddon(scope, id, 'Addon.fromName', KIND, options);
  }

  private readonly values: ChartValues;

  constructor(scope: Construct, id: string, props: AddonProps) {
    super(scope, id, props);
    if (bundledAddon(this.name, this.namespace)) {
      collectProblems(this, [
        {
          path: 'name',
          value: this.name,
          message: 'cannot be the name of an add-on that Harvester includes',
          fix: 'use BundledAddon',
        },
      ]);
    }
    const { repository, chart, version, labels } = props;
    const readsGlobal = FeatureGates.of(HarvesterGate.VCLUSTER_GLOBAL_HOSTNAME).supports(
      HarvesterVersion.parse(this.harvester.version),
    );
    const empty = Object.entries({ repository, chart, version }).filter(
      ([, value]) => value === '',
    );
    const own = props.experimental ? { [LABEL_EXPERIMENTAL]: 'true' } : undefined;
    const spec = {
      repo: repository,
      chart,
      version,
      enabled: props.enabled ?? true,
      valuesContent: valuesText(this, props.values) ?? '',
    };
    const manifest = {
      ...KIND,
      metadata: { name: this.name, namespace: this.namespace, labels: { ...labels, ...own } },
      spec,
    };
    failOnErrors(this, [
      ...empty.map(([path]) => ({
        path,
        message: 'cannot be empty',
        fix: 'set repository, chart and version',
      })),
      ...asProps(checkAddon(manifest, false, readsGlobal), PROPS),
    ]);
    this.values = new ChartValues(this, props.values);
    this._write(
      {
        ...KIND,
        metadata: { labels: own },
        spec: { ...spec, valuesContent: this.values.text(toYaml, '') },
      },
      { props: PROPS },
    );
  }

  public get addonId(): string {
    return `${this.namespace}/${this.name}`;
  }

  /**
   * Adds values of the chart to those that other parts of the program set. A value that two parts
   * set must be the same.
   *
   * @param values by key; lists are not merged
   */
  public addValues(values: { readonly [key: string]: any }): void {
    this.values.add(values);
  }
}

class ExistingAddon extends ExistingNamespacedHarvesterResource implements IAddon {
  public get addonId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

/** Options of a bundled add-on. */
export interface BundledAddonOptions extends ResourceOptions {
  /** Whether the add-on is enabled, i.e. installed. @default true */
  readonly enabled?: boolean;
  /**
   * Values that replace all values that Harvester set for the chart, such as images and resources,
   * which is a warning.
   * @default - the current values
   */
  readonly replaceValues?: { readonly [key: string]: any };
}

/** Properties of a bundled add-on. */
export interface BundledAddonProps extends BundledAddonOptions {
  /** The name of the Addon, e.g. `rancher-monitoring`, `harvester-seeder`, `descheduler`. */
  readonly name: string;
}

/**
 * The Addon of Harvester that every version of Harvester includes, disabled.
 *
 * The manifest contains only whether it is enabled and, if set, its values: Harvester and its
 * upgrades manage the version of the chart. The server merges this partial object with the existing
 * one. Removing the construct has no effect on the server: disable the add-on first.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/addons
 * @example
 * BundledAddon.pciDevices(dc1, 'pci');
 * new BundledAddon(dc1, 'seeder', { name: 'harvester-seeder', enabled: false });
 */
export class BundledAddon extends HarvesterResource implements IAddon {
  /** Monitoring: `rancher-monitoring`. */
  public static monitoring(
    scope: Construct,
    id: string,
    options: BundledAddonOptions = {},
  ): BundledAddon {
    return new BundledAddon(scope, id, { name: 'rancher-monitoring', ...options });
  }

  /** Logging: `rancher-logging`. */
  public static logging(
    scope: Construct,
    id: string,
    options: BundledAddonOptions = {},
  ): BundledAddon {
    return new BundledAddon(scope, id, { name: 'rancher-logging', ...options });
  }

  /** PCI, GPU and SR-IOV devices: `pcidevices-controller`. */
  public static pciDevices(
    scope: Construct,
    id: string,
    options: BundledAddonOptions = {},
  ): BundledAddon {
    return new BundledAddon(scope, id, { name: 'pcidevices-controller', ...options });
  }

  /** Import of virtual machines: `vm-import-controller`. */
  public static vmImport(
    scope: Construct,
    id: string,
    options: BundledAddonOptions = {},
  ): BundledAddon {
    return new BundledAddon(scope, id, { name: 'vm-import-controller', ...options });
  }

  /** Overlay networks: `kubeovn-operator`. Harvester 1.6.0 and later. */
  public static kubeOvn(
    scope: Construct,
    id: string,
    options: BundledAddonOptions = {},
  ): BundledAddon {
    return new BundledAddon(scope, id, { name: 'kubeovn-operator', ...options });
  }

  /**
   * Drivers of NVIDIA's virtual GPUs: `nvidia-driver-toolkit`. Its value `driverLocation` must be
   * the URL of the driver. Harvester 1.3.0 and later.
   */
  public static nvidiaDriver(
    scope: Construct,
    id: string,
    options: BundledAddonOptions = {},
  ): BundledAddon {
    return new BundledAddon(scope, id, { name: 'nvidia-driver-toolkit', ...options });
  }

  /** The name of its namespace. */
  public readonly namespace: string;
  private readonly values: ChartValues;

  constructor(scope: Construct, id: string, props: BundledAddonProps) {
    super(scope, id, props);
    this.namespace = knownAddon(this, props.name, this.harvester.version).namespace;
    valuesText(this, props.replaceValues, 'replaceValues');
    failOnErrors(this);
    this.values = new ChartValues(this, props.replaceValues);
    this._write(
      {
        ...KIND,
        metadata: { namespace: this.namespace },
        spec: { enabled: props.enabled ?? true, valuesContent: this.values.text(toYaml) },
      },
      {
        props: { ...PROPS, 'spec.valuesContent': 'replaceValues' },
        deletion: 'bundled',
      },
    );
  }

  public get addonId(): string {
    return `${this.namespace}/${this.name}`;
  }

  /**
   * Adds values to `replaceValues`: they replace those of Harvester as well. A value that two parts
   * of the program set must be the same.
   *
   * @param values by key; lists are not merged
   */
  public addValues(values: { readonly [key: string]: any }): void {
    this.values.add(values);
  }
}

function knownAddon(construct: Construct, name: string, version: string): BundledAddonEntry {
  const known = BUNDLED_ADDONS.find((addon) => addon.name === name);
  if (!known) {
    return fail(construct, [
      {
        path: 'name',
        value: name,
        message: `must be one of ${BUNDLED_ADDONS.map((addon) => addon.name).join(', ')}`,
        fix: 'choose a bundled add-on, or use Addon with repository, chart and version',
      },
    ]);
  }
  if (!HarvesterVersion.parse(version).isAtLeast(known.since)) {
    fail(construct, [
      {
        path: 'name',
        message: `needs Harvester ${known.since} or later, got ${version}`,
        fix: 'upgrade Harvester, or use Addon',
      },
    ]);
  }
  return known;
}

/** The values of a chart as YAML. Collects what is wrong with them. */
function valuesText(
  addon: IConstruct,
  values: AddonProps['values'],
  path = 'values',
): string | undefined {
  if (!values) {
    return undefined;
  }
  const { value, problems } = freeForm(path, values);
  collectProblems(addon, problems);
  return problems.length > 0 ? undefined : toYaml(value);
}
