import {
  ANNOTATION_PROJECT_SECRET_COPY,
  CREATOR_NORMAN,
  LABEL_CREATOR,
  LABEL_PROJECT_SECRET,
  isProjectSecret,
} from './project-secret.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, annotationsOf, labelsOf, objectLabel } from '../../core/manifest/manifest';
import { ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject } from '../../core/rule/rule';
import { byObject, grouped } from '../../core/text/values';
import { lacksFeature } from '../../core/version/target-features';
import { backingNamespaces, knownProjects } from '../project/known-projects.facts';
import { projectIdOf } from '../project/project.kind';
import { RancherGate } from '../version/rancher-version';

const KINDS = ['/Secret'];
const SOURCE = 'rancher/rancher:pkg/controllers/managementuser/secret/project_scoped_secrets.go';
const LABEL_PATH = `metadata.labels[${LABEL_PROJECT_SECRET}]`;

/** The project that a Secret names; undefined for other Secrets and for copies. */
function projectOf(secret: Manifest): string | undefined {
  const name = labelsOf(secret)[LABEL_PROJECT_SECRET];
  return typeof name !== 'string' || ANNOTATION_PROJECT_SECRET_COPY in annotationsOf(secret)
    ? undefined
    : name;
}

function namespacesOf({ manifest, target }: JudgedObject): readonly string[] {
  return backingNamespaces(
    target,
    manifest.metadata.namespace ?? '',
    manifest.metadata.name,
    manifest,
  );
}

// one index per Rancher: a program may have a Secret for each of thousands of projects
const projectsByName = byObject(
  ({ projects }: ReturnType<typeof knownProjects>): ReadonlyMap<string, readonly JudgedObject[]> =>
    grouped(projects.values(), ({ manifest }) => manifest.metadata.name),
);

/** Rules for the Secrets of projects. */
export const PROJECT_SECRET_RULES = rules(
  { kinds: KINDS, surelyOn: 'rancher', fields: [LABEL_PATH] },
  [
    {
      id: 'project-secret/version',
      what: `the label ${LABEL_PROJECT_SECRET} needs Rancher 2.12.0; earlier versions copy no Secret because of it`,
      source: 'rancher/rancher:pkg/controllers/managementuser/secret/secret.go at v2.11.5',
      judge: ({ manifest, target }) => {
        if (
          target.kind !== 'rancher' ||
          projectOf(manifest) === undefined ||
          labelsOf(manifest)[LABEL_CREATOR] === CREATOR_NORMAN
        ) {
          return undefined;
        }
        const lacks = lacksFeature(target, RancherGate.PROJECT_SECRET_LABEL);
        return (
          lacks && {
            path: LABEL_PATH,
            message: `has no effect: ${lacks}`,
            fix: `set label ${LABEL_CREATOR}: ${CREATOR_NORMAN} and annotation ${ANNOTATION_PROJECT_ID} instead`,
          }
        );
      },
    },
    {
      id: 'project-secret/namespace',
      what: 'a Secret of a project is in the namespace that Rancher creates for the project, and its label names the project; elsewhere it is not copied',
      source: `${SOURCE} getNamespacesFromSecret`,
      judge: ({ manifest, target }, world) => {
        const name = projectOf(manifest);
        const { namespace } = manifest.metadata;
        if (name === undefined || namespace === undefined || isLate(name) || isLate(namespace)) {
          return undefined;
        }
        const projects = projectsByName(knownProjects(world, target)).get(name) ?? [];
        const right = projects.flatMap(namespacesOf);
        if (projects.length === 0 || right.includes(namespace) || right.some(isLate)) {
          return undefined;
        }
        return {
          path: 'metadata.namespace',
          value: namespace,
          // a project of an earlier version has its bare name, which only its status shows
          level: namespace === name ? 'warning' : 'error',
          message: `must be ${right.join(' or ')}, the namespace of Project ${name}: elsewhere the Secret is not copied`,
          fix: 'use this namespace, or name another project in the label',
        };
      },
    },
    {
      id: 'project-secret/overwrites',
      what: 'no Secret in a namespace of a project has the name of a Secret of the project, with which Rancher overwrites it',
      source:
        'https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/kubernetes-resources-setup/secrets',
      *judge({ manifest, target }, world) {
        const name = isProjectSecret(manifest) ? projectOf(manifest) : undefined;
        if (name === undefined || isLate(name)) {
          return;
        }
        const known = knownProjects(world, target);
        for (const project of projectsByName(known).get(name) ?? []) {
          const { metadata } = project.manifest;
          // several clusters have projects of this name
          if (!namespacesOf(project).includes(manifest.metadata.namespace ?? '')) {
            continue;
          }
          for (const place of known.namespaces.get(projectIdOf(metadata.namespace ?? '', name)) ??
            []) {
            const other = world.find(
              place,
              '',
              'Secret',
              place.manifest.metadata.name,
              manifest.metadata.name,
            );
            if (!other || ANNOTATION_PROJECT_SECRET_COPY in annotationsOf(other.manifest)) {
              continue;
            }
            yield {
              path: 'metadata.name',
              value: manifest.metadata.name,
              message: `cannot be the name of ${objectLabel(other.manifest)} on ${place.target.name}: Rancher overwrites it with the Secret of the project`,
              fix: 'choose another name for one of them',
            };
          }
        }
      },
    },
  ],
);
