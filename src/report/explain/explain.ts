import { ConstructBook, readTypeDocs } from './explain-construct';
import { KIND_NAMES, explainKinds, ruleRow } from './explain-kind';
import { explainTerraform } from './explain-terraform';
import { Explanation, explanation } from './explanation';
import { searchExplanation } from './search';
import { allRules } from '../../core/rule/judge-all';
import { PROGRAM_RULES } from '../../core/rule/program-rules';
import { nearestName } from '../../core/text/plain-text';
import { printVersions } from '../../core/version/versioned-names';
import { HARVESTER_SETTINGS } from '../../harvester/settings/harvester-settings.data';
import { RANCHER_SETTINGS } from '../../rancher/settings/rancher-names.data';
import { KNOWN_SETTINGS } from '../../rancher/settings/rancher-setting.data';
import { preconditionOf } from '../rules/rules-index';

const RULES = [...allRules(), ...PROGRAM_RULES];

/**
 * Explains all that has a name: constructs, other public types and their members, kinds and their
 * fields, rules, and settings. The name of a resource or data source of Terraform leads to its
 * constructs, or to the reason why there is none; that of an argument to what serves it. A prop
 * without its type, an exit code, the message of a server, and any words lead to what they are of.
 *
 * @param topic `GuestCluster`, `GuestCluster.pools`, `Cluster`, `Cluster.spec.rkeConfig.machinePools.quantity`, `vm-network/vlan`, `vm-network`, `ntp-servers`
 * @throws if nothing has the name
 */
export function explain(
  topic: string,
  book: ConstructBook = new ConstructBook(readTypeDocs()),
): Explanation[] {
  const ofTerraform = explainTerraform(topic, book);
  if (ofTerraform) {
    return ofTerraform;
  }
  const kinds = explainKinds(topic, (group, kind) => book.writersOf(group, kind));
  const found = [
    ...ruleExplanations(topic),
    ...explainSetting(topic),
    ...book.explain(topic),
    ...kinds,
  ];
  if (found.length > 0) {
    return found;
  }
  const other = [...familyExplanation(topic), ...exitCodeExplanation(topic)];
  if (other.length > 0) {
    return other;
  }
  const owned = propExplanations(topic, book);
  if (owned.length > 0) {
    return owned;
  }
  const search = isName(topic)
    ? []
    : searchExplanation(topic, { rules: RULES, settings: SETTINGS, book });
  if (search.length === 0) {
    throw new Error(unknown(topic, book));
  }
  return search;
}

/** Whether a topic is the name of something, not to be searched: one word with a dot or a slash. */
function isName(topic: string): boolean {
  return /^\S*[./]\S*$/.test(topic) && !isDomainKey(topic);
}

/** Whether a topic is the key of a label, an annotation or a finalizer, which has a domain. */
function isDomainKey(topic: string): boolean {
  return /^[^\s./]+(?:\.[^\s./]+)+\/\S+$/.test(topic);
}

/** Settings, with what they are. */
const SETTINGS = [...HARVESTER_SETTINGS, ...KNOWN_SETTINGS].map(([name, { what }]) => ({
  name,
  what,
}));

/** Exit codes, which are the same for all commands. */
const EXIT_CODES: ReadonlyMap<string, string> = new Map([
  ['0', 'The command is done, or found nothing.'],
  ['1', 'The command failed, or a part of its work. The reason is on standard error.'],
  ['2', 'Changes are pending: plan, diff, or adopt --update found differences.'],
  ['3', 'The command did its work, and found what must stop a pipeline.'],
  ['129', 'SIGHUP ended apply or destroy cleanly: run the command again to continue.'],
  ['130', 'Ctrl-C ended the command: run apply or destroy again to continue.'],
  ['143', 'SIGTERM ended apply or destroy cleanly: run the command again to continue.'],
]);

function exitCodeExplanation(topic: string): Explanation[] {
  const [, code = ''] = /^(?:(?:exit )?(?:code|status) )?(\d+)$/i.exec(topic.trim()) ?? [];
  const what = EXIT_CODES.get(code);
  return what === undefined
    ? []
    : [explanation('exit code', code, what, 'docs/commands.md#exit-codes', {})];
}

/** A prop without its type, also as Python and Terraform write it: `sshUser`, `ssh_user`. */
function propExplanations(topic: string, book: ConstructBook): Explanation[] {
  const prop = topic.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const names = book.ownersOf(prop).map((owner) => `${owner}.${prop}`);
  return names.length > MOST_OWNERS ? [] : names.flatMap((name) => book.explain(name));
}

/** As many explanations as someone reads one after the other. */
const MOST_OWNERS = 3;

/**
 * The rules of a family, as the documentation lists them: `ip-pool`, or `ip-pool/*` where the name
 * is also one of something else.
 */
function familyExplanation(topic: string): Explanation[] {
  const family = topic.replace(/\/\*$/, '');
  const rules = RULES.filter(({ id }) => id.startsWith(`${family}/`));
  if (rules.length === 0) {
    return [];
  }
  return [
    explanation('rule', `${family}/*`, 'All rules of this family.', `docs/rules/${family}.md`, {
      rules: rules.map(ruleRow),
    }),
  ];
}

function unknown(topic: string, book: ConstructBook): string {
  const names = [
    ...new Set([
      ...RULES.map(({ id }) => id),
      ...HARVESTER_SETTINGS.keys(),
      ...KNOWN_SETTINGS.keys(),
      ...book.names,
      ...KIND_NAMES,
    ]),
  ];
  const [first, ...path] = topic.split('.');
  const owner =
    path.length > 0 ? names.find((name) => name.toLowerCase() === first.toLowerCase()) : undefined;
  if (owner) {
    return `${topic}: must be a prop or field of ${owner}, got ${path.join('.')}. Fix: use one that \`explain ${owner}\` lists`;
  }
  const nearest = nearestName(topic, names);
  const isOfWords = /\s/.test(topic) || isDomainKey(topic);
  if (isOfWords && !nearest) {
    return `${topic}: a search for these words found nothing. Fix: search for fewer or other words, or use a name such as GuestCluster or ntp-servers`;
  }
  const fix = nearest
    ? `use ${nearest} if that is what you mean`
    : 'use a name such as GuestCluster, GuestCluster.pools, VirtualMachine, ntp-servers, or a rule that `rules` lists';
  return `${topic}: must be a construct, another public type, a kind, a field of a kind, a rule or a setting. Fix: ${fix}`;
}

/** The heading of a rule on the page of its family; its anchor is as GitHub makes it. */
function rulePage(id: string): string {
  return `docs/rules/${id.split('/')[0]}.md#${id.toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, '')}`;
}

function ruleExplanations(topic: string): Explanation[] {
  return RULES.filter(({ id }) => id === topic).map((rule) => {
    const { id, level, what, says, source, judge, judgeUpdate, judgeDeletion } = rule;
    const { kinds, clusters, versions, fields, creation } = preconditionOf(rule);
    return explanation('rule', id, what, rulePage(id), {
      'level': [level === 'error' ? 'error: synthesis and lint fail' : 'warning: it is reported'],
      'checks': [
        ...(judge ? [creation ? 'objects that do not exist yet' : 'objects'] : []),
        ...(judgeUpdate ? ['edits, with lint --before or --world, and in a plan'] : []),
        ...(judgeDeletion ? ['deletions, with lint --before and in a plan'] : []),
      ],
      'kinds': kinds,
      'clusters': clusters,
      'versions': [versions],
      'fields': fields,
      'words of the server': [says],
      'source': [source],
    });
  });
}

/** Explains a setting, of each product that has one of this name. */
export function explainSetting(topic: string): Explanation[] {
  return [...explainHarvesterSetting(topic), ...explainRancherSetting(topic)];
}

function explainHarvesterSetting(topic: string): Explanation[] {
  const setting = HARVESTER_SETTINGS.get(topic);
  if (!setting) {
    return [];
  }
  const { what, since, propsSince = {}, print, readOnly, rewritten, check, level } = setting;
  return [
    explanation('setting', `${topic} (Harvester)`, what, `docs/settings/harvester/${topic}.md`, {
      'allowed values': [setting.format],
      'default': [setting.default],
      'versions': [since ? `Harvester ${since} and later` : undefined],
      'props': Object.entries(propsSince).map(
        ([prop, version]) => `${prop}: Harvester ${version} and later`,
      ),
      'written by': [print ? 'HarvesterSetting' : undefined],
      'an edit': [
        readOnly ? 'is undone: Harvester writes the value at every start' : undefined,
        rewritten ? 'is rewritten: Harvester moves credentials out of the value' : undefined,
      ],
      'a reset': [setting.resetEffect],
      'secrecy': [
        setting.secret || setting.secretsIn
          ? 'may contain credentials: the value is never shown'
          : undefined,
      ],
      'rules': [check ? `harvester-setting/${topic} (${level ?? 'error'})` : undefined],
      'source': [setting.source],
    }),
  ];
}

function explainRancherSetting(topic: string): Explanation[] {
  const setting = KNOWN_SETTINGS.get(topic);
  if (!setting) {
    return [];
  }
  const { what, print, readOnly } = setting;
  return [
    explanation('setting', `${topic} (Rancher)`, what, `docs/settings/rancher/${topic}.md`, {
      'allowed values': [setting.format],
      'default': [setting.default],
      'versions': [printVersions(RANCHER_SETTINGS.get(topic)!, 'Rancher')],
      'written by': [print ? 'RancherSetting' : undefined],
      'an edit': [
        readOnly ? 'is refused: Rancher reads the value from its installation' : undefined,
      ],
      'source': [setting.source],
    }),
  ];
}
