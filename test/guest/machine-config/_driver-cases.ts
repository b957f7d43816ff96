import { existsSync, readdirSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import { complete } from '../../../src/core/late/late-text';
import { Manifest } from '../../../src/core/manifest/manifest';
import { LateType } from '../../../src/core/value/late-value';
import { SecretValue } from '../../../src/core/value/secret-value';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { configNameOf, poolsOf } from '../../../src/guest/cluster/cluster-reader.facts';
import { HARVESTER_CONFIG_KIND } from '../../../src/guest/machine-config/machine-config.kind';
import { MachinePool } from '../../../src/guest/machine-pool/machine-pool';
import { VmAffinity, VmSelector } from '../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import {
  CloudInitCommand,
  CloudInitFile,
} from '../../../src/harvester/cloud-init/cloud-init-props';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { Disk, DiskBus } from '../../../src/harvester/machine/disk';
import { InterfaceModel, Nic } from '../../../src/harvester/machine/nic';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { readManifestFile } from '../../cluster/manifests';
import { PoolProgram } from '../machine-pool/_pools';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');

/** The files with Clusters and HarvesterConfigs. */
const FILES = /-(cluster\.provisioning|harvesterconfig)\b/;

/** The suffix that Cluster API gives a machine: of its set, and its own. */
const SUFFIX = 'hj2kd-x9v4t';

/** A HarvesterConfig, and a machine of it. */
export interface DriverCase {
  readonly config: Manifest;
  readonly cluster: string;
  readonly machine: string;
}

/** Examples that were written after the driver was recorded, and whose pools have nothing new. */
const NOT_RECORDED = ['languages'];

/** The HarvesterConfigs of the recorded examples, by `<example>/<name>`. */
export function exampleCases(): Readonly<Record<string, DriverCase>> {
  const examples = readdirSync(EXAMPLES).filter(
    (name) => !NOT_RECORDED.includes(name) && existsSync(join(EXAMPLES, name, 'dist', 'rancher')),
  );
  return Object.fromEntries(
    examples.flatMap((example) => {
      const objects = objectsOf(join(EXAMPLES, example, 'dist'));
      return objects
        .filter(({ kind }) => kind === HARVESTER_CONFIG_KIND)
        .map((config) => {
          const title = `${example}/${config.metadata.name}`;
          return [title, { config, ...machineOf(config, objects) }] as const;
        });
    }),
  );
}

/** All objects of an output; late values have a text of their form. */
function objectsOf(output: string): Manifest[] {
  const { objects, lateValues } = readAssembly(output);
  const values = new Map(
    lateValues.map(({ id, type }) => [
      id,
      type === LateType.URL ? 'https://late.example.com' : 'late',
    ]),
  );
  const waiting = objects.flatMap(({ template }) => (template ? [complete(template, values)] : []));
  const files = readdirSync(join(output, 'rancher')).filter((file) => FILES.test(file));
  return [...files.flatMap((file) => readManifestFile(join(output, 'rancher', file))), ...waiting];
}

function machineOf(config: Manifest, objects: readonly Manifest[]): Omit<DriverCase, 'config'> {
  const { name } = config.metadata;
  for (const object of objects.filter(({ kind }) => kind === 'Cluster')) {
    const pool = poolsOf(object).find((each) => configNameOf(each) === name);
    if (pool) {
      const cluster = object.metadata.name;
      return { cluster, machine: `${cluster}-${pool.name}-${SUFFIX}` };
    }
  }
  throw new Error(`${name}: no Cluster has a pool with it`);
}

const GIB = Size.gibibytes(1);
const gibibytes = (amount: number): Size => Size.gibibytes(amount);

type Props = (program: PoolProgram) => Partial<MachinePool>;

/** Pools that have together what a pool can have. */
const POOLS: { readonly [title: string]: Props } = {
  'least': () => ({}),
  'size and firmware': () => ({
    cpus: 6,
    memory: gibibytes(12),
    reservedMemory: Size.mebibytes(512),
    cpuModel: 'host-passthrough',
    cpuPinning: true,
    isolateEmulatorThread: true,
    efi: true,
    secureBoot: true,
    tpm: true,
  }),
  'efi without secure boot': () => ({ efi: true }),
  'virtual GPUs': () => ({ vgpus: [VGpu.nvidia('NVIDIA A2-2Q')] }),
  'disks': ({ image }) => ({
    disks: [
      Disk.image(image, gibibytes(40)),
      Disk.empty(gibibytes(200), { bus: DiskBus.SCSI, hotPluggable: true }),
      Disk.cdRom(image, GIB),
      Disk.empty(gibibytes(10), { bus: DiskBus.SATA }),
    ],
  }),
  'interfaces': ({ network }) => ({
    quantity: 1,
    networks: undefined,
    nics: [
      Nic.network(network, { macAddress: '52:54:00:AB:CD:EF' }),
      Nic.network(network, { model: InterfaceModel.E1000 }),
    ],
  }),
  'one disk and one interface in fields of their own': () => ({
    adopted: { singleFields: true },
  }),
  'spread over zones': () => ({ affinity: VmAffinity.spreadOverZones() }),
  'spread over zones, required': () => ({
    affinity: VmAffinity.spreadOverZones({ required: true }),
  }),
  'spread over hosts': () => ({ affinity: VmAffinity.spreadOverHosts() }),
  'on nodes': () => ({ affinity: VmAffinity.onNodes({ gpu: 'yes' }) }),
  'on nodes, without spread': () => ({
    affinity: VmAffinity.of({
      requiredNodes: [{ labels: [{ key: 'gpu', values: ['yes'] }] }],
      spread: false,
    }),
  }),
  'near others, without spread': () => ({
    affinity: VmAffinity.of({
      requiredNear: [{ vms: VmSelector.labels({ app: 'cache' }) }],
      spread: false,
    }),
  }),
  'login': () => ({
    sshUser: 'ubuntu',
    sshPassword: SecretValue.unsafePlainText('Very-Secret_1'),
    sshPort: 2222,
  }),
  'cloud-init': () => ({
    cloudInit: CloudInit.of({
      packages: ['nfs-common'],
      sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxvY2Fs ana@example.com'],
      files: [CloudInitFile.text('/etc/motd', 'hello\n')],
      runCommands: [CloudInitCommand.exec('sysctl', '--system'), CloudInitCommand.shell('true')],
      timezone: 'Etc/UTC',
      other: { mounts: [['/dev/vdb', '/data']] },
    }),
  }),
  'cloud-init that Kubernetes would change': () => ({
    cloudInit: CloudInit.of({
      runCommands: [CloudInitCommand.shell('kill $$; echo $(HARVESTER_KUBECONFIG_CONTENT) $HOME')],
    }),
  }),
  'network data, version 2': () => ({
    networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
  }),
};

/** Pools that have together what a pool can have, by their titles. */
export function poolCases(): Readonly<Record<string, DriverCase>> {
  return Object.fromEntries(
    Object.entries(POOLS).map(([title, props]) => {
      const program = new PoolProgram({ rancher: '2.15.0', harvester: '1.8.2' });
      const pool = props(program);
      const { config } = program.add(pool);
      const cluster = program.context.name;
      return [
        title,
        { config: config.toJson() as Manifest, cluster, machine: `${cluster}-all-${SUFFIX}` },
      ];
    }),
  );
}
