import { SETTING_KINDS, settingContext, valueOf } from './harvester-setting-context';
import { SETTING_RELATION_RULES } from './harvester-setting-relations';
import { SETTING_SECRET_RULES } from './harvester-setting-secrets';
import { SETTING_UPDATE_RULES } from './harvester-setting-updates';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { checkSettingValue, HARVESTER_SETTINGS, nearestSetting, settingLacking, settingNamed } from '../model/harvester-settings/catalogue';
import { CONTROLLERS, SettingEntry, SETTINGS_GO, VALIDATOR } from '../model/harvester-settings/entry';
import { SETTING } from '../model/harvester-settings/names';
import { isLate } from '../model/late-token';
import { Problem } from '../model/problem';

const CRD = 'harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/settings.go';
const REGISTER = 'harvester/harvester:pkg/controller/global/settings/register.go';

const SERVER_FIELDS: { readonly [field: string]: string } = {
  default: 'Harvester overwrites it with the built-in one at every start',
  source: 'Harvester writes it',
  customized: 'Harvester writes it',
  status: 'the controllers write it, and one that says configured hides what they do',
};
const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata', 'value', ...Object.keys(SERVER_FIELDS)];

// a setting of a newer version has no rules in this one: nothing judges its value
function judged(entry: SettingEntry): Rule {
  return {
    id: `harvester-setting/${entry.name}`,
    level: entry.level,
    kinds: SETTING_KINDS,
    what: `${entry.name}: ${entry.what}`,
    source: entry.source,
    judge: (object, world) => (object.manifest.metadata.name === entry.name ? valueProblems(entry, object, world) : []),
  };
}

function valueProblems(entry: SettingEntry, object: JudgedObject, world: World): Problem[] {
  const { manifest, target } = object;
  const context = settingContext(target, world.beforeOf(object));
  if (settingLacking(entry, context)) { return []; }
  const value = valueOf(manifest) ?? '';
  const problems = checkSettingValue(entry, value, context);
  const { default: builtIn } = manifest;
  const counts = entry.judgesDefault === 'always' || (entry.judgesDefault === 'effective' && value === '');
  // before Harvester knows its image the default is this, and the webhook lets it pass
  const unset = entry.name === SETTING.SUPPORT_BUNDLE_IMAGE && builtIn === '{}';
  if (typeof builtIn !== 'string' || !counts || unset) { return problems; }
  return [...problems, ...checkSettingValue(entry, builtIn, context).map((problem) => ({ ...problem, path: problem.path.replace(/^value/, 'default') }))];
}

const FORM: Rule = {
  id: 'harvester-setting/form',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'a Setting has its value at the top, as text, and no spec',
  source: CRD,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { value } = manifest;
    for (const field of Object.keys(manifest).filter((key) => !OBJECT_FIELDS.includes(key))) {
      yield {
        path: field,
        message: 'is no field of a Setting: a strict API server refuses it, another one drops it in silence',
        fix: 'put the value into the field value beside metadata, as text',
        says: `strict decoding error: unknown field "${field}"`,
      };
    }
    if (value === undefined || value === null) {
      yield { path: 'value', level: 'warning', message: 'is missing, so the object sets nothing', fix: 'give the value as text, "" for the default' };
    } else if (typeof value !== 'string') {
      const json = typeof value === 'object' ? ', with JSON in it' : '';
      yield {
        path: 'value',
        message: `must be text${json}, not ${Array.isArray(value) ? 'a list' : typeof value}`,
        fix: 'put it in quotes',
        says: `value: Invalid value: "${Array.isArray(value) ? 'array' : typeof value}": value in body must be of type string`,
      };
    }
  },
};

const UNKNOWN_NAME: Rule = {
  id: 'harvester-setting/unknown-name',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'a Setting has a name that Harvester knows; any other is accepted and does nothing',
  source: `${SETTINGS_GO}; seen on Harvester 1.7.2`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    if (settingNamed(name) || isLate(name)) { return; }
    const nearest = nearestSetting(name);
    yield {
      path: 'metadata.name',
      value: name,
      message: 'is no setting that this library knows; Harvester accepts any name and does nothing with those it does not know',
      fix: nearest ? `did you mean ${nearest}?` : 'see the list of settings in the documentation of Harvester',
    };
  },
};

const NOT_IN_VERSION: Rule = {
  id: 'harvester-setting/not-in-this-version',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'a Setting is one that this version of Harvester has; others are accepted and do nothing',
  source: `${SETTINGS_GO} at the release tags`,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const entry = settingNamed(manifest.metadata.name);
    const problem = entry && settingLacking(entry, settingContext(target));
    if (problem) { yield problem; }
  },
};

const READ_ONLY: Rule = {
  id: 'harvester-setting/read-only',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'a Setting that Harvester writes itself is left to it',
  source: REGISTER,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (settingNamed(manifest.metadata.name)?.readOnly) {
      yield { path: 'metadata.name', value: manifest.metadata.name, message: 'is written by Harvester itself, at every start', fix: 'leave it out' };
    }
  },
};

const FOREIGN_FIELDS: Rule = {
  id: 'harvester-setting/foreign-fields',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'a Setting in a manifest has nothing but its value: the other fields are Harvester\'s',
  source: `${REGISTER}; ${CONTROLLERS}/handler.go`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    for (const [field, why] of Object.entries(SERVER_FIELDS)) {
      if (manifest[field] !== undefined) { yield { path: field, message: `does not belong into a manifest: ${why}`, fix: 'leave it out' }; }
    }
  },
};

const DELETION: Rule = {
  id: 'harvester-setting/deletion',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'a Setting is never deleted: that resets nothing, and some are not deleted at all',
  source: `${VALIDATOR}; ${CONTROLLERS}/handler.go; seen on Harvester 1.7.2`,
  *judgeDeletion({ manifest, target }: JudgedObject): Iterable<Problem> {
    const { name } = manifest.metadata;
    const entry = settingNamed(name);
    if (!entry || settingLacking(entry, settingContext(target))) { return; }
    const fix = 'keep it with the value ""';
    if (entry.undeletable) {
      yield { path: '', message: 'is gone, and Harvester refuses to delete it', fix, says: `Disallow delete setting name ${name}` };
    } else {
      yield {
        path: '',
        level: 'warning',
        message: 'is gone: deleting it does not reset it, what it did stays, and the object comes back at the next start of Harvester only',
        fix,
      };
    }
  },
};

/** Rules on the settings of Harvester, one for the value of each of them. */
export const HARVESTER_SETTING_RULES: readonly Rule[] = [
  FORM, UNKNOWN_NAME, NOT_IN_VERSION, READ_ONLY, FOREIGN_FIELDS, DELETION,
  ...SETTING_SECRET_RULES, ...SETTING_RELATION_RULES, ...SETTING_UPDATE_RULES,
  ...HARVESTER_SETTINGS.filter((entry) => entry.check).map(judged),
];
