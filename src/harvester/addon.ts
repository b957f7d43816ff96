import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { asProps, objectName, objectNamespace } from './_object-name';
import { bundledAddon } from '../model/bundled-addons';
import { checkAddon } from '../model/checks/addon';
import { fail, failOnErrors } from '../model/errors';
import { LABEL_EXPERIMENTAL } from '../model/infrastructure-names';
import { API_VERSIONS } from '../model/names';
import { INamespace } from '../model/namespace';
import { note } from '../model/object-notes';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';
import { toYaml } from '../model/yaml-writer';
import { FeatureGates, GateId, HarvesterVersion } from '../versions';

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
