import { ConstructBook, readTypeDocs } from './explain-construct';
import { KIND_NAMES, explainKinds, ruleRow } from './explain-kind';
import { explainTerraform } from './explain-terraform';
import { Explanation, explanation } from './explanation';
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
 * constructs, or to the reason why there is none; that of an argument to what serves it.
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
    ...settingExplanations(topic),
    ...book.explain(topic),
    ...kinds,
  ];
  if (found.length > 0) {
    return found;
  }
  const family = familyExplanation(topic);
  if (family.length === 0) {
    throw new Error(unknown(topic, book));
  }
  return family;
}

/**
 * The rules of a family, as the documentation lists them: `ip-pool`, or `ip-pool/*` where the name
 * is also one of something else.
 */
function familyExplanation(topic: string): Explanation[] {
  const family = topic.replace(/\/\*$/, '');
  const rules = RULES.filter(({ id }) => id.startsWith(`${family}/`));
  return rules.length === 0
    ? []
    : [
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
  const owners = book.ownersOf(topic);
  if (owners.length > 0) {
    return `${topic}: must be the full name of a prop. Fix: use one of ${owners.map((name) => `${name}.${topic}`).join(', ')}`;
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

function settingExplanations(topic: string): Explanation[] {
  const harvester = HARVESTER_SETTINGS.get(topic);
  const rancher = KNOWN_SETTINGS.get(topic);
  return [
    ...(harvester
      ? [
          explanation('setting', `${topic} (Harvester)`, harvester.what, 'docs/settings.md', {
            'allowed values': [harvester.format],
            'default': [harvester.default],
            'versions': [harvester.since ? `Harvester ${harvester.since} and later` : undefined],
            'props': Object.entries(harvester.propsSince ?? {}).map(
              ([prop, since]) => `${prop}: Harvester ${since} and later`,
            ),
            'written by': [harvester.print ? 'HarvesterSetting' : undefined],
            'an edit': [
              harvester.readOnly
                ? 'is undone: Harvester writes the value at every start'
                : undefined,
              harvester.rewritten
                ? 'is rewritten: Harvester moves credentials out of the value'
                : undefined,
            ],
            'a reset': [harvester.resetEffect],
            'secrecy': [
              harvester.secret || harvester.secretsIn
                ? 'may contain credentials: the value is never shown'
                : undefined,
            ],
            'rules': [
              harvester.check
                ? `harvester-setting/${topic} (${harvester.level ?? 'error'})`
                : undefined,
            ],
            'source': [harvester.source],
          }),
        ]
      : []),
    ...(rancher
      ? [
          explanation('setting', `${topic} (Rancher)`, rancher.what, 'docs/settings.md', {
            'allowed values': [rancher.format],
            'default': [rancher.default],
            'versions': [printVersions(RANCHER_SETTINGS.get(topic)!, 'Rancher')],
            'written by': [rancher.print ? 'RancherSetting' : undefined],
            'an edit': [
              rancher.readOnly
                ? 'is refused: Rancher reads the value from its installation'
                : undefined,
            ],
            'source': [rancher.source],
          }),
        ]
      : []),
  ];
}
