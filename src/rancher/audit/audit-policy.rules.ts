import { isLate } from '../../core/late/late-token';
import { isRecord, itemsAt } from '../../core/manifest/manifest';
import { Problem, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { attempt } from '../../core/text/values';

/** @see rancher/rancher:pkg/apis/auditlog.cattle.io/v1/audit_policy_types.go FilterAction */
const ACTIONS = ['allow', 'deny'];

/** @see rancher/rancher:pkg/apis/auditlog.cattle.io/v1/audit_policy_types.go LevelRequestResponse */
const HIGHEST_LEVEL = 3;

/** What JavaScript has in regular expressions and Go has not: looking around, and references back. */
const NOT_IN_GO = /\(\?(?:<?[=!])|\\[1-9]|\\k</;

/** What Go has and JavaScript has not: flags inside of an expression, and names of groups with P. */
const ONLY_IN_GO: readonly (readonly [pattern: RegExp, equivalent: string])[] = [
  [/\(\?P</g, '(?<'],
  [/\(\?[imsU-]+\)/g, ''],
  [/\(\?[imsU-]+:/g, '(?:'],
];

/** Where redactions have JSONPaths, which begin at the root. */
const ROOT = '$';

/** Rules on policies of Rancher's audit log. */
export const AUDIT_POLICY_RULES = rules(
  {
    kinds: ['auditlog.cattle.io/AuditPolicy'],
    on: 'rancher',
    source: 'rancher/webhook:pkg/resources/auditlog.cattle.io/v1/auditpolicy/validator.go',
  },
  [
    {
      id: 'audit-policy/level',
      what: 'the level of an AuditPolicy is a number from 0 to 3',
      says: '.spec.verbosity.level must be >= 0 or <= 3',
      field: 'spec.verbosity.level',
      check: (path, level) =>
        typeof level === 'number' &&
        (level < 0 || level > HIGHEST_LEVEL) && {
          path,
          value: level,
          message: `must be a number from 0 to ${HIGHEST_LEVEL}`,
          fix: 'use 0 for metadata, 1 for headers, 2 for requests, or 3 for responses, too',
        },
    },
    {
      id: 'audit-policy/filters',
      what: 'a filter of an AuditPolicy has the action allow or deny, and a regular expression of Go',
      says: 'supported values: "allow", "deny"',
      judge: ({ manifest }) =>
        problemsOf(itemsAt(manifest, 'spec', 'filters'), (filter, index) => {
          const path = `spec.filters[${index}]`;
          const { action, requestURI } = isRecord(filter) ? filter : {};
          const isKnown = isLate(action) || ACTIONS.includes(String(action));
          return [
            ...(isKnown
              ? []
              : [
                  {
                    path: `${path}.action`,
                    value: action,
                    message: `must be ${ACTIONS.join(' or ')}`,
                    fix: 'set the action of the filter',
                  },
                ]),
            ...checkPattern(`${path}.requestURI`, requestURI),
          ];
        }),
    },
    {
      id: 'audit-policy/redactions',
      what: 'redactions of an AuditPolicy are regular expressions of Go for headers, and JSONPaths for bodies',
      judge: ({ manifest }) =>
        problemsOf(itemsAt(manifest, 'spec', 'additionalRedactions'), (redaction, index) => {
          const path = `spec.additionalRedactions[${index}]`;
          return [
            ...problemsOf(itemsAt(redaction, 'headers'), (header, at) =>
              checkPattern(`${path}.headers[${at}]`, header),
            ),
            ...problemsOf(itemsAt(redaction, 'paths'), (text, at) => {
              if (typeof text !== 'string' || isLate(text) || text.startsWith(ROOT)) {
                return [];
              }
              return [
                {
                  path: `${path}.paths[${at}]`,
                  value: text,
                  message: 'must be a JSONPath, which begins with $',
                  fix: 'write e.g. $.password',
                },
              ];
            }),
          ];
        }),
    },
  ],
);

function checkPattern(path: string, pattern: unknown): readonly Problem[] {
  if (typeof pattern !== 'string' || isLate(pattern) || isPatternOfGo(pattern)) {
    return [];
  }
  return [
    {
      path,
      value: pattern,
      message: 'must be a regular expression of Go, which looks neither ahead nor back',
      fix: 'correct the expression',
    },
  ];
}

function isPatternOfGo(pattern: string): boolean {
  const equivalent = ONLY_IN_GO.reduce((text, [own, other]) => text.replace(own, other), pattern);
  return !NOT_IN_GO.test(pattern) && attempt(() => new RegExp(equivalent)) !== undefined;
}
