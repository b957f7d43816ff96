import { objectName, writeClusterObject } from './_cluster-secret';
import { checkConfigValues } from './_kubernetes-config';
import { ClusterContext, ClusterParts, Fields } from './_parts';
import { MachineFile, MachineFileSource } from './machine-file';
import { MachineLabels, MachineSelector } from './machine-selector';
import { checkLabelSelector } from '../model/checks/label-selector';
import { OBJECT_AUTHORIZED } from '../model/guest/rancher-names';
import { know } from '../model/known-objects';
import { API_VERSIONS } from '../model/names';
import { Problem } from '../model/problem';

const PERMISSIONS = /^0?[0-7]{3,4}$/;

/** Entries of rkeConfig.machineSelectorFiles, and the objects that they name. */
export function machineFilesSpec(context: ClusterContext, files: readonly MachineFile[], parts: ClusterParts): Fields[] {
  return files.map(({ machines, sources }) => ({
    machineLabelSelector: selectorSpec(machines),
    fileSources: sources.map((source) => ({ [source._kind]: sourceSpec(context, source, parts) })),
  }));
}

function sourceSpec(context: ClusterContext, source: MachineFileSource, parts: ClusterParts): Fields {
  const { _items: items, _options: { defaultPermissions } } = source;
  return {
    name: nameOf(context, source, parts),
    defaultPermissions,
    items: items.map(({ key, path, permissions, dynamic, hash }) => ({ key, path, permissions, dynamic, hash })),
  };
}

function nameOf(context: ClusterContext, { _kind: kind, _content: content, _items: items }: MachineFileSource, parts: ClusterParts): string {
  if (typeof content === 'string') {
    const { scope, rancher: target, clusterNamespace: namespace } = context;
    know(scope, { target, apiVersion: API_VERSIONS.CORE, kind: kind === 'secret' ? 'Secret' : 'ConfigMap', namespace, name: content });
    return content;
  }
  const plain = objectName(`${context.name}-file`, items[0].path);
  // one path may have a file for each of several groups of machines
  let name = plain;
  for (let count = 2; context.scope.node.tryFindChild(name); count++) { name = `${plain}-${count}`; }
  parts.before.push(writeClusterObject(context, name, {
    kind: kind === 'secret' ? 'Secret' : 'ConfigMap',
    name,
    content,
    annotations: { [OBJECT_AUTHORIZED]: context.name },
    reason: 'Rancher can not write the plans of the nodes without it, so the cluster can not be changed any more',
  }));
  return name;
}

/** rkeConfig.machineSelectorConfig: the entry for all machines, then those of the user, which win; undefined where there are none. */
export function machineSelectorSpec(forAll: Fields, selectors: readonly MachineSelector[]): Fields[] | undefined {
  const entries = [
    ...(Object.keys(forAll).length > 0 ? [{ config: forAll }] : []),
    ...selectors.map(({ machines, config }) => ({ machineLabelSelector: selectorSpec(machines), config: { ...config } })),
  ];
  return entries.length > 0 ? entries : undefined;
}

function selectorSpec(machines: MachineLabels | undefined): Fields | undefined {
  if (!machines) { return undefined; }
  const { matchLabels, matchExpressions } = machines;
  return { matchLabels, matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values })) };
}

/** What is wrong with files and selectors. */
export function* checkSelectors(files: readonly MachineFile[] = [], selectors: readonly MachineSelector[] = []): Iterable<Problem> {
  for (const [index, { machines, config }] of selectors.entries()) {
    yield* checkLabelSelector(`machineSelectors[${index}].machines`, machines);
    yield* checkConfigValues(`machineSelectors[${index}].config`, config);
  }
  for (const [index, { machines, sources }] of files.entries()) {
    yield* checkLabelSelector(`machineFiles[${index}].machines`, machines);
    for (const [number, { _items: items, _options: { defaultPermissions } }] of sources.entries()) {
      const path = `machineFiles[${index}].sources[${number}]`;
      yield* checkPermissions(`${path}.defaultPermissions`, defaultPermissions);
      if (items.length === 0) { yield { path: `${path}.items`, message: 'is empty, so no file is written', fix: 'name a key and the path that it is written to' }; }
      for (const item of items) {
        if (!item.path.startsWith('/')) { yield { path: `${path}.path`, value: item.path, message: 'is a relative path', fix: 'give an absolute one' }; }
        yield* checkPermissions(`${path}.permissions`, item.permissions);
      }
    }
  }
}

function* checkPermissions(path: string, permissions: string | undefined): Iterable<Problem> {
  if (permissions !== undefined && !PERMISSIONS.test(permissions)) {
    yield { path, value: permissions, message: 'are no permissions', fix: 'give them in octal as text, e.g. 0600' };
  }
}
