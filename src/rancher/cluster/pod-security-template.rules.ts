import { isLate } from '../../core/late/late-token';
import { valueAt, itemsAt } from '../../core/manifest/manifest';
import { GROUPS, RFC1123_LABEL } from '../../core/manifest/names';
import { DNS_SUBDOMAIN } from '../../core/problem/label';
import { NO_PROBLEMS } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { ValueCheck, fields, text } from '../../core/rule/kit/values';
import { some } from '../../core/text/plain-text';
import { BUILT_IN_POD_SECURITY_TEMPLATES, KIND_POD_SECURITY_TEMPLATE } from '../rancher.kind';

const KINDS = [`${GROUPS.MANAGEMENT}/${KIND_POD_SECURITY_TEMPLATE}`];
const VALIDATOR =
  'rancher/webhook:pkg/resources/management.cattle.io/v3/podsecurityadmissionconfigurationtemplate/validator.go';

const LEVELS = ['privileged', 'baseline', 'restricted'];
const VERSION = /^(latest|v1\.(0|[1-9]\d*))$/;
const MODES = ['enforce', 'warn', 'audit'];

/** What an entry of a list of exemptions must be. */
interface Entry {
  readonly field: 'usernames' | 'runtimeClasses' | 'namespaces';
  readonly allowed: string;
  readonly accepts: (text: string) => boolean;
  /** The end of the server's words. */
  readonly says: string;
}

const EXEMPTIONS: readonly Entry[] = [
  {
    field: 'usernames',
    allowed: 'the name of a user',
    accepts: (name) => name !== '',
    says: 'username must not be empty',
  },
  {
    field: 'runtimeClasses',
    allowed: 'the name of a RuntimeClass',
    accepts: (name) => name.length <= 253 && DNS_SUBDOMAIN.test(name),
    says: 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters',
  },
  {
    field: 'namespaces',
    allowed: 'the name of a namespace',
    accepts: (name) => RFC1123_LABEL.test(name),
    says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
  },
];

/** The check of a default: a level, or a version. */
function isDefault(
  field: string,
  accepts: (text: string) => boolean,
  allowed: string,
  fix: string,
): readonly [field: string, check: ValueCheck] {
  return [
    field,
    text((path, value) => {
      if (accepts(value)) {
        return NO_PROBLEMS;
      }
      return [
        {
          path,
          value,
          message: `must be ${allowed}`,
          fix,
          says: `defaults.${field}: Invalid value: ${JSON.stringify(value)}: must be ${allowed}`,
        },
      ];
    }),
  ];
}

const FIELD = 'defaultPodSecurityAdmissionConfigurationTemplateName';

/** Rules for pod security admission templates. */
export const POD_SECURITY_TEMPLATE_RULES = rules({ kinds: KINDS }, [
  {
    id: 'pod-security-template/defaults',
    field: 'configuration.defaults',
    what: 'the defaults of a pod security admission template are levels and versions of the Pod Security Standards',
    source: `${VALIDATOR} validateLevel, validateVersion; kubernetes/kubernetes:staging/src/k8s.io/pod-security-admission/api/helpers.go`,
    check: fields(
      Object.fromEntries(
        MODES.flatMap((mode) => [
          isDefault(
            mode,
            (level) => LEVELS.includes(level),
            `one of ${LEVELS.join(', ')}`,
            'use privileged, baseline, or restricted',
          ),
          isDefault(
            `${mode}-version`,
            (version) => VERSION.test(version),
            '"latest" or "v1.x"',
            'use latest, or a version such as v1.33',
          ),
        ]),
      ),
    ),
  },
  {
    id: 'pod-security-template/exemptions',
    fields: ['configuration.exemptions'],
    what: 'the exemptions of a pod security admission template are names, each of them once',
    source: `${VALIDATOR} validateUsernames, validateRuntimeClasses, validateNamespaces`,
    *judge({ manifest }) {
      for (const { field, allowed, accepts, says } of EXEMPTIONS) {
        const seen = new Set<string>();
        for (const [index, item] of itemsAt(
          manifest,
          'configuration',
          'exemptions',
          field,
        ).entries()) {
          // null in place of an item is an empty text
          const value = item ?? '';
          if (typeof value !== 'string' || isLate(value)) {
            continue;
          }
          const at = { path: `configuration.exemptions.${field}[${index}]`, value };
          const place = `exemptions.${field}[${index}]`;
          if (!accepts(value)) {
            yield {
              ...at,
              message: `must be ${allowed}`,
              fix: 'correct the name, or remove it',
              says: `${place}: Invalid value: ${JSON.stringify(value)}: ${says}`,
            };
          } else if (seen.has(value)) {
            yield {
              ...at,
              message: 'cannot be repeated',
              fix: 'remove it',
              says: `${place}: Duplicate value: ${JSON.stringify(value)}`,
            };
          }
          seen.add(value);
        }
      }
    },
  },
  {
    id: 'pod-security-template/deletion',
    what: 'a pod security admission template cannot be deleted while clusters use it, and those of Rancher never',
    source: `${VALIDATOR} Admit, handleDeletion`,
    *judgeDeletion(gone, world) {
      const { name } = gone.manifest.metadata;
      if (BUILT_IN_POD_SECURITY_TEMPLATES.includes(name)) {
        yield {
          path: '',
          message: 'cannot be deleted: it is built into Rancher',
          fix: 'keep it',
          says: `Cannot delete built-in template '${name}'`,
        };
        return;
      }
      for (const [group, what] of [
        [GROUPS.MANAGEMENT, 'management'],
        [GROUPS.PROVISIONING, 'provisioning'],
      ] as const) {
        const users = world
          .beside(gone, group, 'Cluster')
          .filter(({ manifest }) => valueAt(manifest, 'spec', FIELD) === name)
          .map(({ manifest }) => manifest.metadata.name);
        if (users.length === 0) {
          continue;
        }
        yield {
          path: '',
          message: `cannot be deleted while clusters use it: ${some(users)}`,
          fix: `set another ${FIELD} for them first`,
          says: `Cannot delete template '${name}' as it is being used by ${users.length === 1 ? `a ${what} cluster` : `${users.length} ${what} clusters`}`,
        };
        return;
      }
    },
  },
]);
