import { Differences } from './differences';

/** Differences between lint and any of both servers. */
export const KUBERNETES: Differences = {
  lintAlone: [
    [
      /^kubernetes\/secret-update /,
      'the server keeps the type of a live Secret whose type is empty',
    ],
  ],
  serverAlone: [
    [
      /metadata\.namespace = "judge-no-such-namespace"$/,
      'another program may create the namespace: apply waits for it',
    ],
    [/annotations\[\S+\] = null$/, 'null in place of an annotation is an empty text'],
    [
      /\[\d+\] = null$/,
      'null in place of an item is an empty text, which lint does not judge everywhere',
    ],
    [
      /: nothing$/,
      'the object needs one that this server lacks: a Secret, a network, a claim, a node, or a definition',
    ],
  ],
};
