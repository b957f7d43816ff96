import { readFileSync } from 'fs';
import { join } from 'path';
import { VM_PRESETS, VmPreset, vmPresetRules } from '../../../src/harvester/account/vm-role.data';
import { RoleTemplate } from '../../../src/rancher/role/role-template';
import { newApp, newRancher } from '../../support/programs';
import { written } from '../../support/written';

const PRESETS = Object.keys(VM_PRESETS) as VmPreset[];
const FACTORIES = {
  viewer: 'vmViewer',
  operator: 'vmOperator',
  creator: 'vmCreator',
  imageUser: 'imageUser',
} as const;

function templateOf(make: (rancher: ReturnType<typeof newRancher>) => RoleTemplate): any {
  const app = newApp();
  make(newRancher(app));
  return written(app)['rancher/RoleTemplate/role'];
}

/** Whether rules allow a verb on a resource. */
const allows = (rules: readonly any[], verb: string, resource: string): boolean =>
  rules.some(({ verbs, resources }) => verbs.includes(verb) && resources.includes(resource));

test.each(PRESETS)('the preset %s is a project role with its rules', (preset) => {
  expect(templateOf((rancher) => RoleTemplate[FACTORIES[preset]](rancher, 'role'))).toMatchObject({
    context: 'project',
    rules: vmPresetRules(preset),
  });
});

test('only the creator reads Secrets and writes virtual machines', () => {
  for (const preset of PRESETS) {
    const rules = vmPresetRules(preset);
    expect([
      preset,
      allows(rules, 'get', 'secrets'),
      allows(rules, 'create', 'virtualmachines'),
    ]).toEqual([preset, preset === 'creator', preset === 'creator']);
    expect([preset, allows(rules, 'update', 'virtualmachines/start')]).toEqual([
      preset,
      preset === 'operator' || preset === 'creator',
    ]);
    expect([preset, allows(rules, 'get', 'virtualmachineimages')]).toEqual([preset, true]);
    expect(
      rules.some(({ verbs, resources }) => verbs.includes('*') || resources.includes('*')),
    ).toBe(false);
  }
});

test('the operator may change virtual machines only for the actions of the UI', () => {
  const rules = (uiActions: boolean) =>
    templateOf((rancher) => RoleTemplate.vmOperator(rancher, 'role', { uiActions })).rules;
  expect([
    allows(rules(false), 'update', 'virtualmachines'),
    allows(rules(true), 'update', 'virtualmachines'),
  ]).toEqual([false, true]);
});

test('has additional rules and names of its own', () => {
  const extra = { verbs: ['get'], apiGroups: [''], resources: ['services'] };
  const template = templateOf((rancher) =>
    RoleTemplate.vmViewer(rancher, 'x', { name: 'role', displayName: 'VM viewer', rules: [extra] }),
  );
  expect([template.displayName, template.rules.at(-1)]).toEqual(['VM viewer', extra]);
});

test('the page lists the verbs of every preset as they are', () => {
  const page = readFileSync(
    join(__dirname, '..', '..', '..', 'docs', 'roles-and-users', 'virtual-machines.md'),
    'utf8',
  );
  for (const preset of PRESETS) {
    const { extends: base, rules } = VM_PRESETS[preset];
    const rows = rules.map(
      ({ apiGroups, resources, verbs }) =>
        `| \`${FACTORIES[preset]}\` | ${verbs.join(', ')} | ${resources.join(', ')} | ${apiGroups[0] === '' ? 'core' : apiGroups[0]} |`,
    );
    for (const row of base
      ? [`| \`${FACTORIES[preset]}\` | all of \`${FACTORIES[base]}\` | | |`, ...rows]
      : rows) {
      expect(page).toContain(row);
    }
  }
});
