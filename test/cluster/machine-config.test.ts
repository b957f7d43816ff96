import { Size } from 'cdk8s';
import { applyAll, complaints, deleteAll } from './apply-all';
import { clientOf, describeCluster } from './clusters';
import { Manifest } from '../../src/core/manifest/manifest';
import { knownKinds, readShape } from '../../src/core/shape/shape-node';
import { SecretValue } from '../../src/core/value/secret-value';
import { MACHINE_DEFAULTS } from '../../src/guest/cluster/cluster.kind';
import { MachinePool } from '../../src/guest/machine-pool/machine-pool';
import { VmAffinity } from '../../src/harvester/affinity/vm-affinity';
import { NetworkData } from '../../src/harvester/cloud-init/network-data';
import { Disk } from '../../src/harvester/machine/disk';
import { VGpu } from '../../src/harvester/machine/vgpu';
import { PoolProgram } from '../guest/machine-pool/_pools';

describeCluster('machine configurations on the definition of a running Rancher', () => {
  const whole = (program: PoolProgram): Partial<MachinePool> => ({
    name: 'whole',
    reservedMemory: Size.mebibytes(512),
    cpuModel: 'host-passthrough',
    cpuPinning: true,
    isolateEmulatorThread: true,
    efi: true,
    secureBoot: true,
    tpm: true,
    vgpus: [VGpu.nvidia('NVIDIA A2-2Q')],
    disks: [Disk.image(program.image, Size.gibibytes(40)), Disk.empty(Size.gibibytes(10))],
    affinity: VmAffinity.spreadOverZones(),
    sshUser: 'ubuntu',
    sshPassword: SecretValue.unsafePlainText('Very-Secret_1'),
    sshPort: 2222,
    networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
  });

  async function applied(
    props: (program: PoolProgram) => Partial<MachinePool>,
  ): Promise<{ sent: Manifest; stored: { [field: string]: unknown } }> {
    const program = new PoolProgram();
    const sent = program.add(props(program)).config.toJson() as Manifest;
    const client = clientOf('rancher');
    const result = await applyAll(client, [sent], { createNamespaces: true });
    expect(result.applied.flatMap(complaints)).toEqual([]);
    const { body } = await client.read(sent);
    await deleteAll(client, [sent]);
    return { sent, stored: body };
  }

  test('with every field are accepted unchanged', async () => {
    const { sent, stored } = await applied(whole);
    for (const [field, value] of Object.entries(sent)) {
      if (!['apiVersion', 'kind', 'metadata'].includes(field)) {
        expect({ field, value: stored[field] }).toEqual({ field, value });
      }
    }
  });

  test("get what is left out from the server: nothing but the node driver's defaults", async () => {
    const { sent, stored } = await applied(() => ({ name: 'least' }));
    const ours = Object.keys(sent);
    const filled = Object.fromEntries(
      Object.entries(stored).filter(([field]) => !ours.includes(field)),
    );
    const booleans = [
      'cpuPinning',
      'enableEfi',
      'enableSecureBoot',
      'enableTpm',
      'isolateEmulatorThread',
    ];
    const newest = knownKinds()
      .get('rke-machine-config.cattle.io/v1/HarvesterConfig')!
      .versions.at(-1)!;
    const left = Object.keys(readShape(newest.file).shape.fields!)
      .map((name) => name.replace('!', ''))
      .filter((field) => !ours.includes(field));
    expect(filled).toEqual(
      Object.fromEntries(
        left.map((field) => [
          field,
          MACHINE_DEFAULTS[field] ?? (booleans.includes(field) ? false : ''),
        ]),
      ),
    );
  });
});
