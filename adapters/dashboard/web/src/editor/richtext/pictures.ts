import type { Node } from '@tiptap/pm/model';
import type { EditorView, NodeViewConstructor } from '@tiptap/pm/view';
import { api, dataOf } from '../../api/client';
import { asApiError } from '../../api/error';
import { translate } from '../../faults/translate';
import type { Texts } from '../../texts/languages';
import { loadTexts } from '../../texts/load';
import { elsewhere } from '../../ui/elsewhere';
import { subscribe, uploadOf } from '../../media/uploads';
import styles from './richtext.module.css';
import { schema } from './schema';

type T = Texts['editor']['richtext'];
type Shown = () => { t: T; project: { id: number } };

/** The views of pictures and uploads in the text. mayCopy offers to copy pictures of other sites. */
export function pictureViews(shown: Shown, mayCopy: boolean): Record<string, NodeViewConstructor> {
  return {
    image: (node, view) => ({ dom: (node.attrs.keep as Record<string, string> | null)?.['data-media'] ? ownPicture(node, shown().t) : framed(node, view, shown, mayCopy), stopEvent: (event) => event.target instanceof HTMLButtonElement, ignoreMutation: () => true }),
    upload: (node) => uploadView(node, shown().t),
  };
}

function ownPicture(node: Node, t: T) {
  if (!node.attrs.src) return frame(t.deleted, node.attrs.alt as string | null);
  const image = document.createElement('img');
  image.src = node.attrs.src as string;
  image.alt = (node.attrs.alt as string | null) ?? '';
  return image;
}

function frame(title: string, alt: string | null) {
  const box = document.createElement('span');
  box.className = styles.frame!;
  const name = document.createElement('strong');
  name.textContent = title;
  box.append(name);
  if (alt) box.append(' ', alt);
  return box;
}

/** A picture that is not of the library. The page does not load it. */
function framed(node: Node, view: EditorView, shown: Shown, mayCopy: boolean) {
  const { t, project } = shown();
  const source = (node.attrs.src as string | null) ?? '';
  const host = elsewhere(source);
  const box = frame(host ? t.elsewhere(host) : t.onSite(source), node.attrs.alt as string | null);
  if (!host || !mayCopy || !/^(https?:)?\/\//i.test(source)) return box;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = t.copy;
  const status = document.createElement('span');
  status.setAttribute('role', 'status');
  button.onclick = async () => {
    button.disabled = true;
    status.textContent = t.copying;
    try {
      const url = source.startsWith('//') ? `https:${source}` : source;
      const item = await dataOf(api.POST('/api/projects/{projectId}/media/copy', { params: { path: { projectId: project.id } }, body: { url } }));
      replaceAll(view, source, { src: item.fullWebpUrl ?? item.fullUrl, 'data-media': String(item.id) });
      view.focus();
    } catch (error) {
      const problem = asApiError(error);
      button.disabled = false;
      const said = problem.faults.map((f) => f.message);
      const faults = await Promise.all((said.length > 0 ? said : [problem.message]).map((fault) => translated(fault)));
      status.textContent = `${t.notCopied} ${faults.join('; ')}`;
    }
  };
  box.append(button, status);
  return box;
}

const translated = async (fault: string) => translate(fault, await loadTexts('faults'));

/** Shows an item of the library wherever the text shows the picture of a source. */
function replaceAll(view: EditorView, source: string, { src, ...reference }: { src: string; 'data-media': string }) {
  const { tr, doc } = view.state;
  doc.descendants((node, position) => {
    if (node.type === schema.nodes.image && node.attrs.src === source) tr.setNodeMarkup(position, null, { ...node.attrs, src, keep: { ...(node.attrs.keep as object | null), ...reference } });
  });
  view.dispatch(tr);
}

function uploadView(node: Node, t: T) {
  const dom = document.createElement('span');
  dom.className = styles.uploading!;
  const show = () => {
    const upload = uploadOf(node.attrs.id as number);
    if (upload) dom.textContent = (upload.state === 'failed' ? t.notUploaded : t.uploading)(upload.file.name);
  };
  show();
  return { dom, ignoreMutation: () => true, destroy: subscribe(show) as () => void };
}
