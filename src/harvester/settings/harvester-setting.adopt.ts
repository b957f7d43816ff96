import { HARVESTER_SETTINGS } from './harvester-settings.data';
import { TargetKind } from '../../core/construct/target';
import { Draft, DraftValue, FoundObject, Inverse, referOn } from '../../core/draft/draft';
import { LATE_TOKEN } from '../../core/late/late-token';
import { ADDITIONAL_CA, GROUPS, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { anyText } from '../../core/text/plain-text';
import { attempt } from '../../core/text/values';
import { descriptionProp } from '../harvester-object.adopt';

/** From a Setting of Harvester to the factory that writes it, otherwise to its name and value. */
export const HARVESTER_SETTING_INVERSE: Inverse = {
  kinds: [`${GROUPS.HARVESTER}/Setting`],
  leftOut: (object, around) => {
    const { name, value } = settingOf(object);
    if (!HARVESTER_SETTINGS.get(name)?.secret || value === '') {
      return undefined;
    }
    // an import declares it, with the token that Rancher has
    if (
      name === SETTING_REGISTRATION_URL &&
      around.clusters.some(({ kind }) => kind === TargetKind.RANCHER)
    ) {
      return undefined;
    }
    const secret = secretIn(name, value);
    if (secret !== undefined) {
      return `contains ${secret}, which the program does not know`;
    }
    return valueOfFactory(object) === undefined
      ? 'may have credentials, which the program does not know'
      : undefined;
  },
  drafts: (object) => {
    const { name, value } = settingOf(object);
    if (value === undefined || secretIn(name, value) !== undefined) {
      return [];
    }
    const common = { id: name, isNamedById: false, declares: [object] };
    const plain: Draft = {
      ...common,
      type: 'HarvesterSetting',
      props: { name, value, ...descriptionProp(object) },
    };
    const better = (draft: Pick<Draft, 'method'> & Partial<Draft>): readonly Draft[] => [
      { ...plain, props: {}, amend: () => plain, ...draft },
      plain,
    ];
    if (value === '') {
      return better({ method: 'reset', args: [name] });
    }
    if (name === ADDITIONAL_CA) {
      return better({
        type: 'AdditionalCa',
        method: 'of',
        takesNoId: true,
        calls: [{ method: 'add', args: [`${value.replace(/\r\n?/g, '\n').trim()}\n`] }],
      });
    }
    const taken = valueOfFactory(object);
    return taken === undefined ? plain : better({ method: factoryOf(name), args: [taken] });
  },
};

/** Harvester omits an empty value. */
function settingOf({ manifest }: FoundObject): {
  readonly name: string;
  readonly value: string | undefined;
} {
  const { value = '' } = manifest;
  const { name } = manifest.metadata;
  return { name, value: anyText(value) };
}

/** The credentials in a value; undefined without any. */
function secretIn(name: string, value = ''): string | undefined {
  return HARVESTER_SETTINGS.get(name)?.secretsIn?.(value.replace(LATE_TOKEN, 'late'))[0]?.[1];
}

/** What the factory takes to write the value; undefined where it cannot. */
function valueOfFactory(object: FoundObject): DraftValue {
  const { name, value } = settingOf(object);
  const { adopt } = HARVESTER_SETTINGS.get(name) ?? {};
  return value === undefined
    ? undefined
    : attempt(() => adopt?.(value, (kind, other) => referOn(object.target, kind, other)));
}

/** The factory is named as the setting, without the unit that its type has. */
function factoryOf(name: string): string {
  return name
    .replace(/-(minutes|seconds)$/, '')
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
