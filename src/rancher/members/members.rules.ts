import { PrincipalKind, checkPrincipal, parsePrincipal } from './principal.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { Findings } from '../../core/rule/findings';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { ruleOf } from '../../core/rule/kit/fact';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { Twins } from '../../core/rule/world-lookup';
import { filledText, givenValue } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import {
  BINDING_DESCRIPTIONS,
  GROUP_FIELDS,
  USER_FIELDS,
  LOCAL_SCHEME,
} from '../binding/binding.kind';
import { checkRoleTemplate } from '../role/role-template.rules';
import { RancherGate } from '../version/rancher-version';

/** The text of a field; undefined if it is missing or empty. */
export function memberField(manifest: Manifest, field: string): string | undefined {
  return filledText(manifest[field]);
}

/**
 * Checks the subject of a binding: one user or one group, by one or more names.
 *
 * @param fields the fields of the kind
 * @param refusal the server's own words
 */
function checkSubject(
  manifest: Manifest,
  fields: readonly string[],
  refusal: string,
): readonly Problem[] {
  const kinds = SUBJECTS.filter((names) => hasOne(manifest, names, fields)).length;
  if (kinds === 1) {
    return NO_PROBLEMS;
  }
  const fix = `name one user (${fields.filter((field) => field.startsWith('user')).join(' or ')}) or one group (${fields.filter((field) => field.startsWith('group')).join(' or ')})`;
  return [
    kinds === 0
      ? { path: fields[0], message: 'must be set: the binding has no subject', fix, says: refusal }
      : { path: '', message: 'must have one subject: a user or a group', fix, says: refusal },
  ];
}

/** Checks the principals of a binding; the server accepts any text. */
function checkSubjectPrincipals(
  { manifest }: JudgedObject,
  fields: readonly string[],
): readonly Problem[] {
  const check = (field: string, kind: PrincipalKind): readonly Problem[] => {
    const principal = memberField(manifest, field);
    return principal !== undefined && fields.includes(field)
      ? checkPrincipal(field, principal, kind)
      : NO_PROBLEMS;
  };
  const problems = [...check('userPrincipalName', 'user'), ...check('groupPrincipalName', 'group')];
  const user = memberField(manifest, 'userName');
  if (user !== undefined && !isLate(user) && parsePrincipal(user)) {
    problems.push({
      path: 'userName',
      value: user,
      message: 'must be the name of a User object, not a principal',
      fix: 'use userPrincipalName',
    });
  }
  return problems;
}

/** Checks that the local user of a binding is known. */
function checkLocalUser(object: JudgedObject, world: World): Findings {
  const principal = memberField(object.manifest, 'userPrincipalName');
  const parts = principal === undefined ? undefined : parsePrincipal(principal);
  const [path, name] = parts
    ? ['userPrincipalName', parts.scheme === LOCAL_SCHEME ? parts.id : undefined]
    : ['userName', memberField(object.manifest, 'userName')];
  if (
    name === undefined ||
    isLate(name) ||
    world.knows(object, GROUPS.MANAGEMENT, 'User', undefined, name)
  ) {
    return undefined;
  }
  return {
    path,
    ...givenValue(parts ? principal : name),
    message: `must name a declared or live User, not ${name}`,
    fix: 'declare the User, or use the name of its object, which is not its username',
  };
}

/**
 * The bindings with a subject, role and place of each binding. Most have no other, and are left
 * out.
 */
function indexOf(
  world: World,
  kind: string,
  placeOf: (manifest: Manifest) => string | undefined,
): ReadonlyMap<JudgedObject, readonly Twins[]> {
  const bySubject = new Map<string, JudgedObject[]>();
  for (const binding of world.ofKind(GROUPS.MANAGEMENT, kind)) {
    const place = placeOf(binding.manifest);
    for (const subject of place === undefined ? [] : subjectsOf(binding.manifest)) {
      if (subject === undefined || isLate(subject)) {
        continue;
      }
      const key = `${binding.target.name} ${place} ${subject}`;
      const others = bySubject.get(key);
      if (others) {
        others.push(binding);
      } else {
        bySubject.set(key, [binding]);
      }
    }
  }
  const index = new Map<JudgedObject, Twins[]>();
  for (const bindings of bySubject.values()) {
    if (bindings.length === 1) {
      continue;
    }
    const twins = new Twins();
    for (const binding of bindings) {
      twins.add(binding, world.isJudged(binding));
      index.set(binding, [...(index.get(binding) ?? []), twins]);
    }
  }
  return index;
}

// userName: u-ana and userPrincipalName: local://u-ana are the same subject: Rancher fills in the
// missing field
function subjectsOf(manifest: Manifest): readonly (string | undefined)[] {
  const user = memberField(manifest, 'userName');
  return [
    memberField(manifest, 'userPrincipalName') ??
      (user === undefined ? undefined : `${LOCAL_SCHEME}://${user}`),
    memberField(manifest, 'groupPrincipalName'),
    memberField(manifest, 'groupName'),
  ];
}

const SUBJECT_KINDS = { user: USER_FIELDS, group: GROUP_FIELDS } as const;
const SUBJECTS: ReadonlyArray<readonly string[]> = [USER_FIELDS, GROUP_FIELDS, ['serviceAccount']];

/** Whether a binding has one of some fields, of those that its kind has. */
function hasOne(manifest: Manifest, names: readonly string[], fields: readonly string[]): boolean {
  for (const name of names) {
    if (memberField(manifest, name) !== undefined && fields.includes(name)) {
      return true;
    }
  }
  return false;
}

function subjectKind(
  manifest: Manifest,
  fields: readonly string[],
): keyof typeof SUBJECT_KINDS | undefined {
  return (['user', 'group'] as const).find((kind) => hasOne(manifest, SUBJECT_KINDS[kind], fields));
}

/** The rule that a binding keeps its immutable fields, and the kind of its subject. */
export function immutableBinding(family: string, fields: readonly string[]): Rule {
  const immutable = immutableRule(`${family}/immutable`, ...BINDING_DESCRIPTIONS);
  return {
    ...immutable,
    *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
      const [kind, previous] = [object.manifest, before].map((manifest) =>
        subjectKind(manifest, fields),
      );
      if (kind && previous && kind !== previous) {
        yield {
          path: SUBJECT_KINDS[kind][0],
          message: `must remain a ${previous}: it names a ${kind}`,
          fix: 'restore it, or declare another binding under another name',
        };
      }
      yield* immutable.judgeUpdate(object, before, world);
    },
  };
}

/** One of the three kinds of bindings. */
interface BindingKind {
  /** The family of its rules, e.g. `project-binding`. */
  readonly family: string;
  readonly kind: 'ProjectRoleTemplateBinding' | 'ClusterRoleTemplateBinding' | 'GlobalRoleBinding';
  /** The fields for the member. */
  readonly fields: readonly string[];
  /** The allowed members, for the index of rules. */
  readonly members: string;
  /** The server's words for several members, or none. */
  readonly says: string;
  readonly validator: string;
  /** The function there that checks roles and members. */
  readonly checkedBy: string;
  /** Where Rancher looks the user up. */
  readonly controller: string;
  /** The field that names the cluster or the project. */
  readonly placeField?: 'clusterName' | 'projectName';
  /** Which versions refuse a second binding of the same member and role, with which words. */
  readonly duplicate: {
    readonly gate?: RancherGate;
    readonly says?: string;
    readonly source: string;
  };
  readonly role: {
    readonly field: 'roleTemplateName' | 'globalRoleName';
    readonly context: 'project' | 'cluster' | 'global';
    readonly what: string;
    readonly example: string;
    /** Whether Rancher created the binding, which may have any role. */
    readonly notOf?: (manifest: Manifest) => boolean;
  };
}

/** The rules for the member and the role of every binding. */
export function memberRules(
  binding: BindingKind,
): Record<'subject' | 'principal' | 'localUser' | 'role' | 'duplicate', Rule> {
  const { family, fields, says } = binding;
  const kinds = kindsOf(binding);
  return {
    subject: ruleOf({
      id: `${family}/subject`,
      kinds,
      what: `a binding is for ${binding.members}`,
      says,
      source: sourceOf(binding),
      judge: ({ manifest }) => checkSubject(manifest, fields, says),
    }),
    principal: ruleOf({
      id: `${family}/principal`,
      level: 'warning',
      kinds,
      what: 'principals have the form <provider>_user://<ID> or local://<User>; a binding for an unknown principal has no effect',
      source: 'rancher/rancher:pkg/auth/providers; the webhook accepts any text',
      judge: (object) => checkSubjectPrincipals(object, fields),
    }),
    localUser: ruleOf({
      id: `${family}/unknown-user`,
      level: 'warning',
      kinds,
      what: 'the local user of a binding exists',
      source: binding.controller,
      // without any User, none of them are known
      when: (_, world) => world.ofKind(GROUPS.MANAGEMENT, 'User').length > 0,
      judge: checkLocalUser,
    }),
    role: roleRule(binding),
    duplicate: duplicateRule(binding),
  };
}

function kindsOf({ kind }: BindingKind): readonly string[] {
  return [`management.cattle.io/${kind}`];
}

function sourceOf({ validator, checkedBy }: BindingKind): string {
  return `${validator} ${checkedBy}`;
}

function roleRule(binding: BindingKind): Rule {
  const { family, kind, role } = binding;
  const kindOfRole = role.context === 'global' ? 'GlobalRole' : 'RoleTemplate';
  return ruleOf({
    id: `${family}/role`,
    kinds: kindsOf(binding),
    what: role.what,
    source: sourceOf(binding),
    field: role.field,
    required: {
      fix: `name a ${kindOfRole}, e.g. ${role.example}`,
      says: `${kind.toLowerCase()}.${role.field}: Required value`,
    },
    check: text((path, name, object: JudgedObject, world: World) =>
      role.notOf?.(object.manifest)
        ? NO_PROBLEMS
        : checkRoleTemplate(path, name, role.context, object, world),
    ),
  });
}

function duplicateRule(binding: BindingKind): Rule {
  const { family, kind, placeField, duplicate, role } = binding;
  const where = placeField ? `role in a ${role.context}` : 'global role';
  const twinsIn = byObject((world: World) =>
    indexOf(world, kind, (manifest) => placeAndRole(manifest, binding)),
  );
  return ruleOf({
    id: `${family}/duplicate`,
    level: duplicate.gate ? 'error' : 'warning',
    kinds: kindsOf(binding),
    what: `a member has a ${where} by one binding; with two, the permission remains if one is deleted`,
    source: duplicate.source,
    judge: (object, world) => {
      const groups = twinsIn(world).get(object) ?? [];
      const twin = groups.map((twins) => twins.of(object)).find(Boolean);
      return twin && duplicateProblem(object, twin.manifest, binding);
    },
  });
}

/** What two bindings of one member may not share; undefined where it is not known. */
function placeAndRole(manifest: Manifest, { placeField, role }: BindingKind): string | undefined {
  const place = placeField ? memberField(manifest, placeField) : '';
  const name = memberField(manifest, role.field);
  if (place === undefined || name === undefined || isLate(place) || isLate(name)) {
    return undefined;
  }
  return role.notOf?.(manifest) ? undefined : `${place} ${name}`;
}

function duplicateProblem(
  { target }: JudgedObject,
  twin: Manifest,
  { placeField, duplicate, role }: BindingKind,
): Problem {
  const { gate, says } = duplicate;
  const where = placeField ? ` in the same ${role.context}` : '';
  const isRefused = gate !== undefined && hasFeature(target, gate) !== false;
  return {
    path: '',
    message: `cannot repeat ${objectLabel(twin)}: both have the same member and role${where}`,
    fix: 'remove one of them',
    ...(isRefused ? { says } : {}),
  };
}
