import { Size } from 'cdk8s';
import { Family } from './family';
import { PciDeviceClaim, UsbDeviceClaim } from '../../../src/harvester/device/device-claim';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { OverlayNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterNode, NodeCloudInit } from '../../../src/harvester/node/node';
import { OverlaySubnet } from '../../../src/harvester/overlay/overlay-subnet';
import { OverlayVpc } from '../../../src/harvester/overlay/overlay-vpc';
import { HarvesterVolume } from '../../../src/harvester/volume/volume';

const DEVICES = 'devices.harvesterhci.io/v1beta1';

/** Devices of a node that does not exist, overlay networks, volumes, and files of nodes. */
export const HOSTS: Family = {
  title: 'hosts',
  products: ['harvester'],
  // as the controller of devices does, since a claim belongs to its device
  prepare: async (lab) => {
    const node = lab.name('node');
    const devices = [
      ...['01', '02', '05'].map((bus) => ['PCIDevice', `${node}-0000${bus}000`]),
      ...['usb', 'usb-2', 'usb-b'].map((name) => ['USBDevice', lab.name(name)]),
    ];
    for (const [kind, name] of devices) {
      const device = { apiVersion: DEVICES, kind, metadata: { name } };
      await lab.server('harvester').cluster.apply(device, { fieldManager: 'lab' });
    }
  },
  base: ({ dc1, fixed }) => {
    ['one', 'two'].forEach((name) => new HarvesterNamespace(dc1, name, { name: fixed(name) }));
  },
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into } = variation;
    const namespace = HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) });
    const node = HarvesterNode.fromName(dc1, `node-${copy}`, { name: fixed('node') });
    const username = isEdited ? 'ana' : 'admin';
    new PciDeviceClaim(dc1, `pci-${copy}`, {
      node,
      address: `0000:0${copy + (variation.suffix ? 5 : 1)}:00.0`,
      username,
    });
    new UsbDeviceClaim(dc1, `usb-${copy}`, { name: name('usb'), username });
    const vpc = new OverlayVpc(dc1, `vpc-${copy}`, {
      name: name('vpc'),
      routes: [{ cidr: '198.19.0.0/16', nextHop: isEdited ? '198.18.0.3' : '198.18.0.2' }],
    });
    new OverlaySubnet(dc1, `subnet-${copy}`, {
      name: name('subnet'),
      vpc,
      network: new OverlayNetwork(dc1, `overlay-${copy}`, { name: name('overlay'), namespace }),
      cidr: `198.18.${copy}.0/24`,
      isolated: isEdited,
    });
    new HarvesterVolume(dc1, `volume-${copy}`, {
      name: name('volume'),
      namespace,
      size: Size.gibibytes(isReplaced ? 1 : 2),
    });
    new NodeCloudInit(dc1, `file-${copy}`, {
      name: name('file'),
      filename: `99-${name('file')}`,
      stages: { boot: [{ commands: [isEdited ? 'echo edited' : 'echo'] }] },
      nodeSelector: { 'kubernetes.io/hostname': 'no-such-node' },
    });
  },
};
