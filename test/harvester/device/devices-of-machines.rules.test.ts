import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { DEVICE_RULES } from '../../../src/harvester/device/device.rules';
import '../../../src/registry/register';
import { machine } from '../../support/machines';

function told(rule: string, manifests: readonly Manifest[], harvesterVersion: string): string[] {
  const target = { name: 'dc1', kind: 'harvester', harvesterVersion } as const;
  return judge(DEVICE_RULES, new World(manifests.map((manifest) => ({ manifest, target }))))
    .filter((finding) => finding.rule === rule)
    .map((finding) => `${finding.level} ${finding.object?.name} ${oneLine(finding)}`);
}

const VGPU = { name: 'node1-000008004', deviceName: 'nvidia.com/NVIDIA_A2-4Q' };

test('warns of virtual GPUs in gpus from Harvester 1.8.0 on', () => {
  const ai = machine('ai', { devices: { gpus: [VGPU] } });
  expect(told('virtual-machine/vgpu-form', [ai], '1.8.0')).toEqual([
    expect.stringMatching(/^warning ai .*must be in hostDevices/),
  ]);
  const moved = machine('ai', { devices: { hostDevices: [VGPU] } });
  expect(told('virtual-machine/vgpu-form', [moved], '1.8.0')).toEqual([]);
  expect(told('virtual-machine/vgpu-form', [ai], '1.7.2')).toEqual([]);
});
