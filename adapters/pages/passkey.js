// Asks the browser for a passkey and signs in with it, or for a new passkey. The pages work without this script.
'use strict';
{
  const box = document.querySelector('.passkey');
  const fault = document.getElementById('fault');
  const address = /^[\d.]+$|^\[/.test(location.hostname); // browsers refuse passkeys at IP addresses

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    buffer && btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const post = (path, body) =>
    fetch(path, { method: 'POST', body: body && JSON.stringify(body), headers: body ? { 'Content-Type': 'application/json' } : {} });

  async function ask() {
    const options = await post('/api/session/passkey');
    if (!options.ok) return box.dataset.failed;
    const publicKey = await options.json();
    publicKey.challenge = bytes(publicKey.challenge);
    const found = await navigator.credentials.get({ publicKey });
    const { clientDataJSON, authenticatorData, signature, userHandle } = found.response;
    const passkey = {
      id: found.id, rawId: text(found.rawId), type: found.type,
      response: { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature) },
    };
    if (userHandle) passkey.response.userHandle = text(userHandle);
    const answer = await post(box.dataset.finish, { passkey });
    if (answer.ok) {
      location.assign(box.dataset.next);
      return '';
    }
    if (answer.status === 429) return box.dataset.limited;
    const problem = await answer.json().catch(() => ({}));
    if (problem.code === 'sign_in_again') return box.dataset.expired;
    return answer.status === 401 ? box.dataset.wrong : box.dataset.failed;
  }

  async function create() {
    const options = await post('/api/me/passkeys');
    const refused = options.ok ? {} : await options.json().catch(() => ({}));
    if (options.status === 401 || refused.code === 'verify_first') {
      location.assign(box.dataset.signIn);
      return '';
    }
    if (!options.ok) return options.status === 429 ? box.dataset.limited : box.dataset.failed;
    const publicKey = await options.json();
    publicKey.challenge = bytes(publicKey.challenge);
    publicKey.user.id = bytes(publicKey.user.id);
    for (const known of publicKey.excludeCredentials) known.id = bytes(known.id);
    const made = await navigator.credentials.create({ publicKey });
    const { clientDataJSON, attestationObject } = made.response;
    const transports = made.response.getTransports ? made.response.getTransports() : [];
    const credential = {
      id: made.id, rawId: text(made.rawId), type: made.type,
      response: { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject), transports },
    };
    const answer = await post('/api/me/passkeys/finish', { credential });
    if (answer.ok) box.querySelector('form').submit();
    return answer.ok ? '' : box.dataset.failed;
  }

  if (box && window.PublicKeyCredential && !address) {
    const button = box.querySelector('button');
    box.hidden = false;
    button.addEventListener('click', async () => {
      button.disabled = true;
      fault.textContent = '';
      try {
        fault.textContent = await (box.dataset.finish ? ask() : create());
      } catch (error) {
        // The person closed the browser's dialog, or let it expire: that is no fault.
        if (error.name === 'InvalidStateError' && box.dataset.known) fault.textContent = box.dataset.known;
        else if (error.name !== 'NotAllowedError') fault.textContent = box.dataset.failed;
      }
      button.disabled = false;
    });
  }
}
