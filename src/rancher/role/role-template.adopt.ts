import { ROLE_TEMPLATE, namesAt, rulesProp } from './role.adopt';
import { Draft, DraftProps, FoundObject, enumValue } from '../../core/draft/draft';
import { Inverse, booleanAt, refer, textAt, unless, byName } from '../../core/draft/inverse';
import { sameValue } from '../../core/manifest/manifest';
import { VM_PRESETS, VM_UI_ACTIONS, VmPreset, vmPresetRules } from '../../harvester/account/vm-role.data';

/** The static methods of RoleTemplate by their presets: the larger ones first, since they begin with the rules of the others. */
const FACTORIES: readonly (readonly [preset: VmPreset, method: string])[] = [
  ['creator', 'vmCreator'], ['operator', 'vmOperator'], ['viewer', 'vmViewer'], ['imageUser', 'imageUser'],
];

/** From a RoleTemplate to the construct, by its preset if it has the rules of one. */
export const ROLE_TEMPLATE_INVERSE: Inverse = {
  kinds: [ROLE_TEMPLATE],
  drafts: (object) => {
    const inherits = namesAt(object.manifest, 'roleTemplateNames');
    const { manifest } = object;
    const flag = (field: string): boolean | undefined => unless(booleanAt(manifest, field), false);
    const plain: Draft = {
      type: 'RoleTemplate',
      id: manifest.metadata.name,
      props: {
        context: enumValue('RoleTemplateContext', textAt(manifest, 'context')),
        displayName: unless(textAt(manifest, 'displayName'), manifest.metadata.name),
        description: textAt(manifest, 'description'),
        rules: rulesProp(manifest.rules),
        external: flag('external'),
        externalRules: rulesProp(manifest.externalRules),
        inherits: inherits.length > 0 ? inherits.map((name) => refer(object, ROLE_TEMPLATE, name)) : undefined,
        locked: flag('locked'),
        hidden: flag('hidden'),
        clusterCreatorDefault: flag('clusterCreatorDefault'),
        projectCreatorDefault: flag('projectCreatorDefault'),
      },
      declares: [object],
    };
    return presetOf(object, plain) ?? plain;
  },
  existing: byName('RoleTemplate'),
};

function presetOf({ manifest }: FoundObject, plain: Draft): Draft | undefined {
  const { context: _, displayName, description, rules, ...others } = plain.props;
  const given = rules as readonly DraftProps[] | undefined ?? [];
  if (manifest.context !== 'project' || Object.values(others).some((value) => value !== undefined)) { return undefined; }
  for (const [preset, method] of FACTORIES) {
    const own = rulesProp(vmPresetRules(preset))!;
    const { what } = VM_PRESETS[preset];
    if (description !== `${what[0].toUpperCase()}${what.slice(1)}` || !sameValue(given.slice(0, own.length), own)) { continue; }
    const more = given.slice(own.length);
    const uiActions = preset === 'operator' && sameValue(more[0], rulesProp([VM_UI_ACTIONS])![0]);
    const rest = uiActions ? more.slice(1) : more;
    return { ...plain, method, props: { displayName, uiActions: uiActions || undefined, rules: rest.length > 0 ? rest : undefined } };
  }
  return undefined;
}
