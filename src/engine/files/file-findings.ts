import { NotJudged, notJudgedIn } from './documents';
import { SkippedFile } from './find-files';
import { IGNORE_FILE } from './ignored-paths';
import {
  IS_TEMPLATE,
  isFleetFile,
  isTemplate,
  placeholderIn,
  RENDERED_BY,
} from './repository-files';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { NOT_JUDGED, NO_OBJECT, NO_YAML, UNREAD_LINK } from '../../core/rule/program-rules';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { NoYaml } from '../../core/yaml/yaml-reader';

/** Files for one tool are one block of a report. */
const CAUSES = {
  CHART: 'Helm charts are not rendered here',
  KUSTOMIZATION: 'kustomizations are not built here',
  OTHER: 'files that hold no Kubernetes objects are not judged',
} as const;

/** What to do with a file that is broken, or of another kind than its name. */
const CORRECT_FIX = `correct the file, or name it in ${IGNORE_FILE}`;

/** What to do with a file in which something replaces placeholders later. */
const FILL_IN_FIX = `fill it in, and read the output, or name the file in ${IGNORE_FILE}`;

/** What to do with files that become manifests when something renders them. */
function renderFix(command: string): string {
  return `read the output of ${command} instead, or name the file in ${IGNORE_FILE}`;
}

/** A finding about a whole file. */
function fileFinding(
  rule: Rule,
  file: string,
  message: string,
  fix: string,
  cause?: string,
): Finding {
  return {
    rule: rule.id,
    level: rule.level as FindingLevel,
    message: `${plainText(file)} ${message}`,
    path: '',
    fix,
    source: rule.source,
    file,
    ...(cause === undefined ? {} : { cause }),
  };
}

/** The finding for a file or a folder that is not read. */
export function unreadFinding({ file, message, fix, isLink }: SkippedFile): Finding {
  return fileFinding(isLink ? UNREAD_LINK : NO_YAML, file, message, fix);
}

/** The finding for a file that exceeds a limit, or is not a regular one. */
export function unfitFinding(file: string, message: string): Finding {
  const fix = 'leave it out, split it, or set --max-file-size to read more MiB';
  return fileFinding(NO_YAML, file, message, fix);
}

/** The finding for a file that the system cannot read. */
export function unreadableFinding(file: string): Finding {
  const fix = 'correct the file or the link, or leave it out';
  return fileFinding(NO_YAML, file, 'cannot be read', fix);
}

/** The finding for a folder with a chart of Helm. */
export function chartFinding(folder: string): Finding {
  return fileFinding(
    NOT_JUDGED,
    folder,
    'is a Helm chart, whose files are not manifests',
    renderFix(RENDERED_BY.CHART),
    CAUSES.CHART,
  );
}

/**
 * The finding for a kustomization, or a part of one.
 *
 * @param what the file is, e.g. `is a patch of …`
 */
export function kustomizationFinding(file: string, what: string): Finding {
  const fix = renderFix(RENDERED_BY.KUSTOMIZATION);
  return fileFinding(NOT_JUDGED, file, what, fix, CAUSES.KUSTOMIZATION);
}

/** The finding for a file that is not YAML, unless it becomes YAML or is for an engine. */
export function notYamlFinding(file: string, text: string, error: NoYaml): Finding {
  const reason = `is not valid YAML: ${error.message}`;
  if (isFleetFile(file)) {
    return fileFinding(NOT_JUDGED, file, `is a file of Fleet, and ${reason}`, 'correct the file');
  }
  if (isTemplate(text)) {
    return fileFinding(NOT_JUDGED, file, `${IS_TEMPLATE}, and ${reason}`, FILL_IN_FIX);
  }
  return fileFinding(NO_YAML, file, reason, CORRECT_FIX);
}

/** The finding for an object whose name something else fills in. */
export function placeholderFinding({ manifest, file = '' }: JudgedObject): Finding {
  const placeholder = plainText(placeholderIn(manifest));
  const message = `has a ${manifest.kind} with the placeholder ${placeholder} in place of a name`;
  return fileFinding(NOT_JUDGED, file, message, FILL_IN_FIX);
}

/**
 * What a file holds that no rule judges: at most a finding for values that cannot be objects, and
 * one for those that are not of Kubernetes.
 */
export function notJudgedFindings(file: string, documents: readonly unknown[]): Finding[] {
  const values = notJudgedIn(documents);
  const broken = values.filter(({ isBroken }) => isBroken);
  const others = values.filter(({ isBroken }) => !isBroken);
  const findings: Finding[] = [];
  if (broken.length > 0) {
    const message = `holds what cannot be a Kubernetes object: ${placesText(broken)}`;
    findings.push(fileFinding(NO_OBJECT, file, message, CORRECT_FIX));
  }
  if (others.length > 0) {
    const message = `holds what is not judged: ${placesText(others)}`;
    const fix = `set apiVersion and kind, or name the file in ${IGNORE_FILE}`;
    findings.push(fileFinding(NOT_JUDGED, file, message, fix, CAUSES.OTHER));
  }
  return findings;
}

/** How many documents one finding names. */
const MAX_NAMED = 5;

function placesText(values: readonly NotJudged[]): string {
  const named = values.slice(0, MAX_NAMED).map(({ place, message }) => `${place} ${message}`);
  const more = values.length > MAX_NAMED ? `; and ${values.length - MAX_NAMED} more` : '';
  return `${named.join('; ')}${more}`;
}

/**
 * Throws for files whose objects are missing.
 *
 * @param accepted a rule whose findings are expected
 */
export function refuseUnread(findings: readonly Finding[], accepted?: Rule): void {
  const broken = findings.filter(({ rule }) => rule !== NOT_JUDGED.id && rule !== accepted?.id);
  if (broken.length > 0) {
    throw new Error(broken.map(unreadText).join('\n'));
  }
}

function unreadText({ message, fix, rule }: Finding): string {
  return rule === UNREAD_LINK.id ? `${message}. Fix: ${fix}` : message;
}
