import { parse } from 'yaml';
import { exampleCases, poolCases } from './_driver-cases';
import { Manifest, itemsAt, isRecord, valueAt } from '../../../src/core/manifest/manifest';
import { VM_LABEL_GUEST_CLUSTER } from '../../../src/guest/cluster/cluster.kind';
import {
  LABEL_MACHINE_SET,
  LABEL_NODE_POOL,
} from '../../../src/guest/machine-config/machine-config.kind';
import {
  cloudInitText,
  machineReferences,
  machineVolumes,
} from '../../../src/guest/machine-config/machine-json.facts';
import { VmSelector } from '../../../src/harvester/affinity/vm-affinity';
import { machineSetName } from '../../../src/harvester/affinity/vm-affinity.check';
import {
  configDemand,
  machineDemand,
} from '../../../src/harvester/resource-quota/machine-demand.check';
import { instanceOf } from '../../../src/harvester/virtual-machine/machine-manifest.facts';
import { RecordedMachine, recordedMachines } from '../../support/machine-recordings';

/** @see harvester/harvester:pkg/util/constants.go AnnotationVolumeClaimTemplates */
const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';
const IMAGE = 'harvesterhci.io/imageId';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const RECORDED = recordedMachines();
const ROWS = Object.entries(RECORDED).map(([title, recorded]) => ({ title, ...recorded }));

/** The VirtualMachine as the driver sent it. */
function sent({ virtualMachine: { claims, ...vm } }: RecordedMachine): Manifest {
  const annotations = { ...(vm.metadata.annotations as object), [CLAIMS]: JSON.stringify(claims) };
  return { ...vm, metadata: { ...vm.metadata, annotations } };
}

const poolOf = ({ cluster, machine }: RecordedMachine): string =>
  machine.slice(cluster.length + 1).replace(/(-[^-]+){2}$/, '');

const labelsIn = (vm: Manifest): Record<string, string> =>
  valueAt(vm, 'spec', 'template', 'metadata', 'labels') as Record<string, string>;

describe("machines that Rancher's node driver made", () => {
  test('are those of the examples, and of pools with everything, as they are written today', () => {
    const configs = Object.entries({ ...exampleCases(), ...poolCases() });
    expect(configs.map(([title, { config }]) => [title, config])).toEqual(
      ROWS.map(({ title, config }) => [title, config]),
    );
  });

  test.each(ROWS)('$title: has the volumes that fits and quotas count', (recorded) => {
    const { config, virtualMachine } = recorded;
    const sizes = virtualMachine.claims.map((claim) =>
      Number(
        /^(\d+)Gi$/.exec(String(valueAt(claim, 'spec', 'resources', 'requests', 'storage')))![1],
      ),
    );
    const volumes = itemsAt(instanceOf(sent(recorded)).volumes);
    expect(machineVolumes(config)).toEqual({
      volumes: sizes.length,
      gibibytes: sizes.reduce((sum, size) => sum + size, 0),
      hotplug: volumes.some(
        (each) => valueAt(each, 'persistentVolumeClaim', 'hotpluggable') === true,
      ),
    });
  });

  test.each(ROWS)(
    '$title: takes of a quota what its HarvesterConfig is counted with',
    (recorded) => {
      const settings = { defaults: { ratio: 1.5, cpuOvercommit: 1000, fixed: 260 } };
      const needs = configDemand(recorded.config, settings);
      expect(machineDemand(sent(recorded), settings, () => false)).toEqual(needs);
    },
  );

  test.each(ROWS)('$title: is on the networks and of the images that rules look up', (recorded) => {
    const { config, virtualMachine } = recorded;
    const { images, networks } = machineReferences(config);
    const [image, network] = [config.imageName, config.networkName];
    expect(
      virtualMachine.claims.flatMap(
        (claim) => valueAt(claim, 'metadata', 'annotations', IMAGE) ?? [],
      ),
    ).toEqual(image ? [image] : images);
    expect(
      itemsAt(instanceOf(sent(recorded)).networks).map((each) =>
        valueAt(each, 'multus', 'networkName'),
      ),
    ).toEqual(network ? [network] : networks);
  });

  test.each(ROWS)('$title: has the labels that selectors name', (recorded) => {
    const { config, cluster } = recorded;
    const pool = poolOf(recorded);
    const vmNamespace = String(config.vmNamespace);
    const labels = labelsIn(sent(recorded));
    expect(labels).toMatchObject({
      [VM_LABEL_GUEST_CLUSTER]: cluster,
      [LABEL_MACHINE_SET]: machineSetName(vmNamespace, cluster, pool),
    });
    for (const selector of [
      VmSelector.samePool(),
      VmSelector.sameCluster(),
      VmSelector.pool(pool),
    ]) {
      const { matchLabels } = selector._resolve({ vmNamespace, cluster, pool }) as {
        readonly matchLabels: object;
      };
      expect(labels).toMatchObject(matchLabels);
    }
  });

  test('have no label with the name of their pool alone', () => {
    for (const recorded of ROWS) {
      expect(labelsIn(sent(recorded))[LABEL_NODE_POOL]).toBe(`${poolOf(recorded)}-hj2kd`);
    }
  });

  test.each(ROWS)(
    '$title: has its affinity, or the default, which spreads over hosts',
    (recorded) => {
      const { config, cluster } = recorded;
      const { affinity } = instanceOf(sent(recorded));
      if (config.vmAffinity === undefined) {
        expect(itemsAt(valueAt(affinity, 'podAntiAffinity'), PREFERRED)).toHaveLength(1);
        return;
      }
      const given = JSON.parse(String(config.vmAffinity)) as Record<string, object>;
      const set = machineSetName(String(config.vmNamespace), cluster, poolOf(recorded));
      const own = {
        weight: 1,
        podAffinityTerm: {
          labelSelector: { matchLabels: { [LABEL_MACHINE_SET]: set } },
          topologyKey: 'kubernetes.io/hostname',
        },
      };
      // near as well as apart: the driver adds its term to those of the program
      const withOwn = (part: object): object => ({
        ...part,
        [PREFERRED]: [...itemsAt(part, PREFERRED), own],
      });
      const expected = Object.entries(given).map(
        ([kind, part]) => [kind, kind === 'nodeAffinity' ? part : withOwn(part)] as const,
      );
      expect(affinity).toEqual(Object.fromEntries(expected));
    },
  );

  test.each(ROWS)(
    '$title: has the cloud-init of the program, with what driver and Rancher add',
    (recorded) => {
      const { config, userData, machine, networkData } = recorded;
      const own = parse(cloudInitText(config, 'userData')!) as Record<string, unknown>;
      const { hostname, ...merged } = userData;
      expect(hostname).toBe(machine);
      for (const [key, value] of Object.entries(own)) {
        expect(merged[key]).toEqual(Array.isArray(value) ? expect.arrayContaining(value) : value);
      }
      expect(merged.runcmd).toEqual([
        ...itemsAt(own, 'runcmd'),
        'sh /usr/local/custom_script/install.sh',
      ]);
      expect(itemsAt(merged, 'ssh_authorized_keys').slice(1)).toEqual(
        itemsAt(own, 'ssh_authorized_keys'),
      );
      expect(networkData).toBe(cloudInitText(config, 'networkData'));
    },
  );

  test('have the firmware, the processor and the devices of their HarvesterConfig', () => {
    const domainOf = (title: string): Record<string, any> =>
      instanceOf(sent(RECORDED[title])).domain as Record<string, any>;
    expect(domainOf('size and firmware')).toMatchObject({
      cpu: {
        cores: 6,
        model: 'host-passthrough',
        dedicatedCpuPlacement: true,
        isolateEmulatorThread: true,
      },
      resources: { limits: { cpu: '6', memory: '12Gi' } },
      firmware: { bootloader: { efi: { secureBoot: true } } },
      features: { smm: { enabled: true } },
      devices: { tpm: {} },
    });
    expect(domainOf('efi without secure boot').firmware).toEqual({
      bootloader: { efi: { secureBoot: false } },
    });
    expect(domainOf('least')).not.toHaveProperty('firmware');
    expect(domainOf('virtual GPUs').devices.gpus).toEqual([
      { name: 'provisioned', deviceName: 'nvidia.com/NVIDIA_A2-2Q' },
    ]);
    expect(RECORDED['size and firmware'].virtualMachine.metadata.annotations).toEqual({
      'harvesterhci.io/reservedMemory': '512Mi',
    });
  });

  test('have their disks and interfaces in order, with the names that a pool accepts', () => {
    const { domain } = instanceOf(sent(RECORDED.disks));
    const devices = itemsAt(valueAt(domain, 'devices'), 'disks').filter(isRecord);
    expect(devices).toEqual([
      { name: 'cloudinitdisk', disk: { bus: 'virtio' } },
      { name: 'disk-0', bootOrder: 1, disk: { bus: 'virtio' } },
      { name: 'disk-1', bootOrder: 2, disk: { bus: 'scsi' } },
      { name: 'disk-2', bootOrder: 3, cdrom: { bus: 'sata' } },
      { name: 'disk-3', bootOrder: 4, disk: { bus: 'sata' } },
    ]);
    const own = instanceOf(sent(RECORDED.interfaces)).domain;
    expect(itemsAt(valueAt(own, 'devices'), 'interfaces')).toEqual([
      { name: 'nic-0', model: 'virtio', macAddress: '52:54:00:ab:cd:ef', bridge: {} },
      { name: 'nic-1', model: 'e1000', bridge: {} },
    ]);
  });
});
