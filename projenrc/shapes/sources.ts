import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Schema } from './shape-of-schema';
import { KindEntry } from '../../src/core/shape/shape-node';

/** A custom resource definition. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly subresources?: { readonly status?: object };
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** A folder of definitions, and the first version of the product that they hold for. */
export interface Source {
  readonly folder: string;
  readonly product: KindEntry['product'];
  /** `0.0.0` where no version of the product has other definitions that we know of. */
  readonly from: string;
  /** Where its definitions are from: repository, path and tag. */
  readonly origin: string;
}

const RANCHER = 'rancher/rancher:pkg/crds/yaml/generated';
const HARVESTER =
  'harvester/harvester:deploy/charts/harvester-crd/templates, harvester/load-balancer-harvester:crds, ' +
  'harvester/network-controller-harvester:manifests/crds';
/**
 * What Harvester deploys from other repositories: at the tag of its own release, or at the last one
 * before it.
 */
const PARTS =
  'harvester/pcidevices:charts/templates/crds.yaml, harvester/node-disk-manager:manifests/crds, ' +
  'harvester/charts:charts/harvester-node-manager/templates/crds';
const longhorn = (version: string): string =>
  `longhorn/longhorn:chart/templates/crds.yaml (Node, RecurringJob, Setting) at ${version}`;
const cdi = (version: string): string =>
  `kubevirt/containerized-data-importer:pkg/operator/resources/crds_generated.go (DataVolume) at ${version}`;
const fleet = (version: string): string => `rancher/fleet:charts/fleet-crd at ${version}`;

/** In the order of their versions. */
export const SOURCES: readonly Source[] = [
  {
    folder: 'rancher-2.12.12',
    product: 'rancher',
    from: '2.12.0',
    origin: `${RANCHER} at v2.12.12`,
  },
  {
    folder: 'rancher-live-2.13.8',
    product: 'rancher',
    from: '2.13.0',
    origin: `a running Rancher 2.13.8, with the kinds that it makes at run time; ${fleet('v0.14.9')} (GitRepo); harvester/harvester:tests/integration/controllers/manifest/app-crd.yaml`,
  },
  {
    folder: 'rancher-2.14.4',
    product: 'rancher',
    from: '2.14.0',
    origin: `${RANCHER} at v2.14.4; ${fleet('v0.15.5')}`,
  },
  {
    folder: 'rancher-2.15.0',
    product: 'rancher',
    from: '2.15.0',
    origin: `${RANCHER} at v2.15.0; ${fleet('v0.16.0')}`,
  },
  {
    folder: 'rancher-live-2.15.0',
    product: 'rancher',
    from: '0.0.0',
    origin:
      'a running Rancher 2.15.0, which makes the definition of NavLink at run time, of a type that is the same from v2.12.0 on',
  },
  {
    folder: 'harvester-1.7.2',
    product: 'harvester',
    from: '0.0.0',
    origin: `${HARVESTER} at v1.7.2; ${PARTS}; ${longhorn('v1.10.2')}; ${cdi('v1.64.0')}`,
  },
  {
    folder: 'harvester-1.8.2',
    product: 'harvester',
    from: '1.8.0',
    origin: `${HARVESTER} at v1.8.2; ${PARTS}; ${longhorn('v1.11.2')}`,
  },
  {
    folder: 'harvester-1.9.0-rc6',
    product: 'harvester',
    from: '1.9.0',
    origin: `${HARVESTER} at v1.9.0-rc6; ${PARTS}; ${longhorn('v1.12.1')}; ${cdi('v1.65.0')}`,
  },
  {
    folder: 'harvester-add-ons',
    product: 'harvester',
    from: '0.0.0',
    origin:
      'kubeovn/kube-ovn:charts/kube-ovn/templates/kube-ovn-crd.yaml at v1.15.4, the one of Harvester 1.8, without the keyword not; ' +
      'harvester/seeder:chart/seeder-crd/templates (Inventory) at v1.8.1; ' +
      'harvester/vm-import-controller:pkg/apis/migration.harvesterhci.io/v1beta1 at master, whose definitions it makes at run time',
  },
  { folder: 'kubevirt', product: 'harvester', from: '0.0.0', origin: "KubeVirt's client library" },
  { folder: 'guest', product: 'guest', from: '0.0.0', origin: 'k3s-io/helm-controller at 21a911f' },
];

/** Kinds whose first definition that we have holds for all earlier versions. */
export const UNBOUNDED: readonly string[] = [
  'management.cattle.io/v3/ClusterRegistrationToken',
  'management.cattle.io/v3/Setting',
  'rke-machine-config.cattle.io/v1/HarvesterConfig',
];

/**
 * Kinds with objects that a product creates and completes: bundled add-ons, KubeVirt, disks,
 * devices and nodes of a Harvester, built-in node drivers of a Rancher.
 */
export const PARTIAL: readonly string[] = [
  'devices.harvesterhci.io/v1beta1/MigConfiguration',
  'devices.harvesterhci.io/v1beta1/PCIDevice',
  'devices.harvesterhci.io/v1beta1/SRIOVGPUDevice',
  'devices.harvesterhci.io/v1beta1/SRIOVNetworkDevice',
  'devices.harvesterhci.io/v1beta1/USBDevice',
  'devices.harvesterhci.io/v1beta1/VGPUDevice',
  'harvesterhci.io/v1beta1/Addon',
  'harvesterhci.io/v1beta1/BlockDevice',
  'kubevirt.io/v1/KubeVirt',
  'longhorn.io/v1beta2/Node',
  'longhorn.io/v1beta2/Setting',
  'management.cattle.io/v3/NodeDriver',
  'node.harvesterhci.io/v1beta1/Hugepage',
  'node.harvesterhci.io/v1beta1/Ksmtuned',
];

/** The definitions of a source. */
export function readDefinitions(root: string, { folder }: Source): Definition[] {
  const found = folder === 'kubevirt' ? kubevirtFolder() : path.join(root, folder);
  return fs
    .readdirSync(found)
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .sort()
    .flatMap((file) =>
      parseAllDocuments(fs.readFileSync(path.join(found, file), 'utf8')).map(
        (document) => document.toJS() as any,
      ),
    )
    .flatMap((object) => (object?.kind === 'List' ? object.items : [object]))
    .filter((object) => object?.kind === 'CustomResourceDefinition');
}

/** The version of a definition that the server stores. */
export function stored({ spec }: Definition): Definition['spec']['versions'][number] {
  return spec.versions.find(({ storage }) => storage)!;
}

/** The name of a kind in the index: `<group>/<version>/<kind>`. */
export function kindOf(definition: Definition): string {
  const { group, names } = definition.spec;
  return `${group === '' ? '' : `${group}/`}${stored(definition).name}/${names.kind}`;
}

/** KubeVirt's definitions are made from its client library. */
function kubevirtFolder(): string {
  const script = path.resolve(__dirname, '..', '..', 'test', 'cluster', 'build-kubevirt.js');
  const { status, stdout } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    throw new Error(`build-kubevirt.js failed: ${stdout}`);
  }
  return stdout.trim();
}
