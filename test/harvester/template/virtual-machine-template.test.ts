import { JsonPatch, Size } from 'cdk8s';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { Disk } from '../../../src/harvester/machine/disk';
import {
  VirtualMachineTemplate,
  VirtualMachineTemplateVersion,
} from '../../../src/harvester/template/virtual-machine-template';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';
import { assemblyOf } from '../../support/written';

const MACHINE = { cpus: 2, memory: Size.gibibytes(4), disks: [Disk.empty(Size.gibibytes(40))] };

function program() {
  const app = newApp();
  const dc1 = newHarvester(app, '1.7.2');
  const namespace = new HarvesterNamespace(dc1, 'golden');
  return {
    app,
    dc1,
    template: new VirtualMachineTemplate(dc1, 'web', { namespace, description: 'web servers' }),
  };
}

test('writes a template, and a version with the spec of a virtual machine', () => {
  const { app, dc1, template } = program();
  const key = KeyPair.fromName(dc1, 'Ana', { name: 'ana' });
  const version = new VirtualMachineTemplateVersion(dc1, 'web-v1', {
    ...MACHINE,
    template,
    isDefault: true,
    description: 'first',
    sshKeys: [key],
    cloudInit: CloudInit.of({ packages: ['nginx'] }),
  });
  app.synth();
  const { objects, templates } = assemblyOf(app);
  const [written, secret]: any[] = ['VirtualMachineTemplateVersion', 'Secret'].map(
    (kind) =>
      dc1.toJson().find((each) => each.kind === kind) ??
      Object.values<any>(templates).find((each) => each.kind === kind),
  );
  const rendered: any = dc1.toJson().find(({ kind }) => kind === 'VirtualMachineTemplate');
  expect(rendered).toMatchObject({
    metadata: { name: 'web', namespace: 'golden' },
    spec: { description: 'web servers', defaultVersionId: 'golden/web-v1' },
  });
  expect([version.versionId, template.templateId]).toEqual(['golden/web-v1', 'golden/web']);
  expect(written).toMatchObject({
    metadata: { name: 'web-v1', namespace: 'golden' },
    spec: { templateId: 'golden/web', description: 'first', keyPairIds: ['default/ana'] },
  });
  const { metadata, spec } = written.spec.vm;
  expect(Object.keys(metadata).sort()).toEqual(['annotations', 'labels']);
  expect(
    JSON.parse(metadata.annotations['harvesterhci.io/volumeClaimTemplates'])[0].metadata.name,
  ).toBe('web-v1-disk-0');
  expect(spec.template.spec.domain.cpu).toEqual({ cores: 2, sockets: 1, threads: 1 });
  // each VM gets addresses and a name of its own
  expect(spec.template.spec.domain.devices.interfaces).toEqual([
    { name: 'default', masquerade: {}, model: 'virtio' },
  ]);
  expect(spec.template.metadata.labels).not.toHaveProperty(['harvesterhci.io/vmName']);
  expect(secret.metadata).toMatchObject({ name: 'web-v1-cloudinit', namespace: 'golden' });
  const [before, after] = ['VirtualMachineTemplate', 'VirtualMachineTemplateVersion'].map((kind) =>
    objects.findIndex((each: any) => each.kind === kind),
  );
  expect(before).toBeLessThan(after);
});

test('refuses a patch that makes another version the default', () => {
  const { app, dc1, template } = program();
  new VirtualMachineTemplateVersion(dc1, 'web-v1', { ...MACHINE, template, isDefault: true });
  template.apiObject.addJsonPatch(JsonPatch.replace('/spec/defaultVersionId', 'golden/web-v0'));
  expect(messageOf(() => app.synth())).toContain(
    'isDefault: a patch makes golden/web-v0 the default version of web. Fix: remove isDefault, or the patch',
  );
});

test.each<[string, () => unknown, string]>([
  [
    'a second default',
    () => {
      const { dc1, template } = program();
      new VirtualMachineTemplateVersion(dc1, 'web-v1', { ...MACHINE, template, isDefault: true });
      return new VirtualMachineTemplateVersion(dc1, 'web-v2', {
        ...MACHINE,
        template,
        isDefault: true,
      });
    },
    '[dc1/web-v2] isDefault: cannot be set for two versions: web-v1 is the default. Fix: remove isDefault from one of them',
  ],
  [
    'a default of a template that exists',
    () => {
      const { dc1 } = program();
      return new VirtualMachineTemplateVersion(dc1, 'v1', {
        ...MACHINE,
        template: VirtualMachineTemplate.fromName(dc1, 'Old', { name: 'old' }),
        isDefault: true,
      });
    },
    '[dc1/v1] isDefault: requires a template of the program: this one exists already. Fix: declare the template with new VirtualMachineTemplate, or remove isDefault',
  ],
  [
    'what a virtual machine cannot have',
    () => {
      const { dc1, template } = program();
      return new VirtualMachineTemplateVersion(dc1, 'v1', { ...MACHINE, template, cpus: 0 });
    },
    '[dc1/v1] cpus: must be a whole number of 1 or more, got 0. Fix: set cpus to 1 or more',
  ],
])('refuses %s', (_, make, message) => {
  expect(messageOf(make)).toBe(message);
});
